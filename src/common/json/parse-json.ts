import { parse } from 'lossless-json';
import { int64FromJsonNumber } from '../int64/int64.js';

export const MAX_DEPTH = 32;

/** A number that no int64 holds. It is kept as it was written, so that a rule can refuse it by name. */
export class OtherNumber {
  constructor(readonly text: string) {}
}

/**
 * Parses JSON (RFC 8259) exactly: whole numbers become `bigint`s, other numbers an `OtherNumber`.
 * Throws a SyntaxError that says what is wrong, also for repeated keys and for more than 32 levels of nesting.
 */
export function parseJson(text: string): unknown {
  return parsePlain(text) ?? parseAny(text);
}

/** Fractions, exponents, and more digits than a number of JavaScript keeps: nothing that clients send as a rule. */
const UNUSUAL_NUMBER = /\d(?:[.eE]|\d{15})/;

/** What JSON.parse reads exactly, for it is quick; undefined for anything else, and for whatever may be at fault. */
function parsePlain(text: string): unknown {
  if (UNUSUAL_NUMBER.test(text)) return undefined;
  const { brackets, colons } = count(text);
  if (brackets > MAX_DEPTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // No key was repeated if as many came out as there are colons.
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

function parseAny(text: string): unknown {
  const { depth, keys } = measure(text);
  if (depth > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
  const value = parse(text, undefined, {
    parseNumber: (number) => int64FromJsonNumber(number) ?? new OtherNumber(number),
  });
  // The parser lets a key be repeated with the same value; then fewer keys come out than were written.
  if (countKeys(value) < keys) throw new SyntaxError('Duplicate key');
  return value;
}

/** Finds the depth and the number of keys of a text that may not even be JSON, in one pass and in linear time. */
function measure(text: string): { depth: number; keys: number } {
  let level = 0;
  let depth = 0;
  let keys = 0;
  // A string (closed, or running to the end of the text) and the colon that makes it a key; or a bracket.
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"[\t\n\r ]*(:?)|\\?$)|[[{]|[\]}]/gs)) {
    if (colon === ':') keys++;
    else if (token === '[' || token === '{') depth = Math.max(depth, ++level);
    else if (token === ']' || token === '}') level--;
  }
  return { depth, keys };
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof OtherNumber) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, child) => sum + countKeys(child), own);
}
