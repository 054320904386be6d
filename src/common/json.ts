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
  try {
    const members = countMembers(text);
    return parseFast(text, members) ?? parseExactly(text, members);
  } catch (error) {
    throw new JsonError(`The body is not valid JSON: ${(error as Error).message}.`);
  }
}

const [QUOTE, BACKSLASH, COLON, BRACE, BRACE_END, BRACKET, BRACKET_END] = [...'"\\:{}[]'].map((character) =>
  character.charCodeAt(0),
);

/** Colons outside strings: one for each member. Refuses deep nesting first, since parsers are recursive. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) i++;
    } else if (code === COLON) members++;
    else if (code === BRACE || code === BRACKET) {
      if (++depth > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
    } else if (code === BRACE_END || code === BRACKET_END) depth--;
  }
  return members;
}

/** Fractions, exponents, and more digits than a JavaScript number keeps: rare in practice. */
const UNUSUAL_NUMBER = /\d(?:[.eE]|\d{15})/;

/** Uses JSON.parse where it is exact. Undefined for unusual numbers and for anything that may be invalid. */
function parseFast(text: string, members: number): unknown {
  if (UNUSUAL_NUMBER.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return countKeys(value) === members ? withBigints(value) : undefined;
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

function parseExactly(text: string, members: number): unknown {
  const parseNumber = (number: string) => int64FromJson(number) ?? new OtherNumber(number);
  const value = parse(text, undefined, { parseNumber });
  // lossless-json accepts a duplicate name if the values are equal.
  if (countKeys(value) < members) throw new SyntaxError('Duplicate key');
  return value;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof OtherNumber) return 0;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.reduce((sum: number, each) => sum + countKeys(each), Array.isArray(value) ? 0 : inner.length);
}
