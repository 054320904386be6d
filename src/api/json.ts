import { isUtf8 } from 'node:buffer';
import { parse, splitNumber } from 'lossless-json';
import { int64FromText } from '../common/int64.js';
import { ApiError } from './errors.js';

const MAX_DEPTH = 32;

/** Reads one JSON object (RFC 8259). An int64 becomes a `bigint`, any other number `NaN`, which all fields refuse. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  let value: unknown;
  try {
    const text = bytes.toString();
    checkStructure(text);
    value = parse(text, undefined, (number) => int64FromText(number) ?? readNumber(number));
  } catch (error) {
    const message = (error as Error).message.replace(/'([^']{50})[^']+'/, "'$1…'"); // it may quote a long number
    throw new ApiError('invalid_json', `The body is not valid JSON: ${message}.`);
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw new ApiError('invalid_json', 'The body must be a JSON object.');
  return value as Record<string, unknown>;
}

/** Refuses what lossless-json does not: a name that occurs twice with equal values, and nesting too deep for its recursion. */
function checkStructure(text: string): void {
  const open: Set<unknown>[] = [];
  for (const [token, colon] of text.matchAll(/"(?:[^\\"]|\\.)*"?(\s*:)?|[{}[\]]/gs)) {
    if (colon) {
      const name: unknown = JSON.parse(token.slice(0, -colon.length));
      const names = open.at(-1);
      if (names?.has(name)) throw new SyntaxError(`Duplicate key ${JSON.stringify(String(name).slice(0, 50))}`);
      names?.add(name);
    } else if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    if (open.length > MAX_DEPTH) throw new SyntaxError(`More than ${MAX_DEPTH} levels of nesting`);
  }
}

/** Reads integers such as 1.0 and 1e3. It takes three times as long as `int64FromText`, which has read the plain ones. */
function readNumber(text: string): bigint | number {
  const { sign, digits, exponent } = splitNumber(text); // -1250 is -1.25e3
  const zeros = exponent - (digits.length - 1);
  // Checked before the value is built: 1e999999999 would need a gigabyte of zeros.
  if (zeros < 0 || exponent > 18) return Number.NaN;
  return int64FromText(sign + digits + '0'.repeat(zeros)) ?? Number.NaN;
}
