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
  return parseFast(text) ?? parseExactly(text);
}

/** Fractions, exponents, and more digits than a JavaScript number keeps: rare in practice. */
const UNUSUAL_NUMBER = /\d(?:[.eE]|\d{15})/;

/** Uses JSON.parse where it is exact. Returns `undefined` for unusual numbers and for anything that may be invalid. */
function parseFast(text: string): unknown {
  if (UNUSUAL_NUMBER.test(text)) return undefined;
  const { brackets, colons } = count(text);
  if (brackets > MAX_DEPTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // With a duplicate key there are more colons than keys.
    return countKeys(value) === colons ? withBigints(value) : undefined;
  } catch {
    return undefined;
  }
}

const COLON = ':'.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);
const BRACKET = '['.charCodeAt(0);

function count(text: string): { brackets: number; colons: number } {
  let brackets = 0;
  let colons = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON) colons++;
    else if (code === BRACE || code === BRACKET) brackets++;
  }
  return { brackets, colons };
}

function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withBigints(members[key]);
  return value;
}

function parseExactly(text: string): unknown {
  const { depth, keys } = measure(text);
  if (depth > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
  const value = parse(text, undefined, {
    parseNumber: (number) => int64FromJsonNumber(number) ?? new NonInt64Number(number),
  });
  // lossless-json accepts a duplicate key if the values are equal.
  if (countKeys(value) < keys) throw new SyntaxError('Duplicate key');
  return value;
}

/** Measures depth and number of keys in linear time. The text may be invalid JSON. */
function measure(text: string): { depth: number; keys: number } {
  let level = 0;
  let depth = 0;
  let keys = 0;
  // Matches a bracket, or a string (possibly unclosed) with the colon that makes it a key.
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"[\t\n\r ]*(:?)|\\?$)|[[{]|[\]}]/gs)) {
    if (colon === ':') keys++;
    else if (token === '[' || token === '{') depth = Math.max(depth, ++level);
    else if (token === ']' || token === '}') level--;
  }
  return { depth, keys };
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof NonInt64Number) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, child) => sum + countKeys(child), own);
}
