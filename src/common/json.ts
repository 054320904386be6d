import { isUtf8 } from 'node:buffer';
import { parse } from 'lossless-json';
import { int64FromJson } from './int64.js';

const MAX_DEPTH = 32;

/** Why a body is no JSON object, for the client. */
export class JsonError extends Error {}

/** A number that is no int64: well-formed, but no value of any field. */
export class OtherNumber {
  constructor(readonly text: string) {}
}

/** Reads one JSON object exactly (RFC 8259): a number is a `bigint` or an `OtherNumber`, and no name comes twice. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new JsonError('The body is not valid UTF-8.');
  const value = parseJson(bytes.toString());
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof OtherNumber) throw new JsonError('The body must be a JSON object.');
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  const parseNumber = (number: string) => int64FromJson(number) ?? new OtherNumber(number);
  try {
    const members = countMembers(text);
    const value = parse(text, undefined, { parseNumber });
    // lossless-json accepts a duplicate name if the values are equal.
    if (countKeys(value) < members) throw new SyntaxError('Duplicate key');
    return value;
  } catch (error) {
    throw new JsonError(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

/** Colons outside strings: one for each member. Refuses deep nesting first, since the parser is recursive. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^\\"]|\\.)*"?|[:[\]{}]/gs)) {
    if (token === ':') members++;
    else if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
  }
  return members;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof OtherNumber) return 0;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.reduce((sum: number, each) => sum + countKeys(each), Array.isArray(value) ? 0 : inner.length);
}
