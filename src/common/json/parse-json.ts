import { parse } from 'lossless-json';
import { int64FromJsonNumber } from '../int64/int64.js';

export const MAX_DEPTH = 32;

/** A number that does not fit an int64, kept for the validation to name the field that holds it. */
export class NonInt64Number {
  constructor(readonly text: string) {}
}

/**
 * Parses JSON (RFC 8259) exactly: a number becomes a `bigint`, or a `NonInt64Number` if it does not fit.
 * Throws a SyntaxError for invalid JSON, duplicate keys and more than 32 levels of nesting.
 */
export function parseJson(text: string): unknown {
  const colons = countColons(text);
  return parseFast(text, colons) ?? parseExactly(text, colons);
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);
const BRACE_END = '}'.charCodeAt(0);
const BRACKET = '['.charCodeAt(0);
const BRACKET_END = ']'.charCodeAt(0);

/** Outside strings, where each follows a key. Refuses deep nesting first, since parsers take long for it. */
function countColons(text: string): number {
  let colons = 0;
  let level = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) i++;
    } else if (code === COLON) colons++;
    else if (code === BRACE || code === BRACKET) {
      if (++level > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
    } else if (code === BRACE_END || code === BRACKET_END) level--;
  }
  return colons;
}

/** Fractions, exponents, and more digits than a JavaScript number keeps: rare in practice. */
const UNUSUAL_NUMBER = /\d(?:[.eE]|\d{15})/;

/** Uses JSON.parse where it is exact. Returns `undefined` for unusual numbers and for anything that may be invalid. */
function parseFast(text: string, colons: number): unknown {
  if (UNUSUAL_NUMBER.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // With a duplicate key there are more colons than keys.
    return countKeys(value) === colons ? withBigints(value) : undefined;
  } catch {
    return undefined;
  }
}

function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withBigints);
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withBigints(members[key]);
  return value;
}

function parseExactly(text: string, colons: number): unknown {
  const value = parse(text, undefined, {
    parseNumber: (number) => int64FromJsonNumber(number) ?? new NonInt64Number(number),
  });
  // lossless-json accepts a duplicate key if the values are equal.
  if (countKeys(value) < colons) throw new SyntaxError('Duplicate key');
  return value;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof NonInt64Number) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += countKeys(item);
  else for (const member of Object.values(value)) keys += 1 + countKeys(member);
  return keys;
}
