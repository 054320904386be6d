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
