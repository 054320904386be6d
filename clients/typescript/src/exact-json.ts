import { INT64 } from './openapi.js';

/** A string, and the integer after it if the string is the name of a member. */
const STRING = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(-?(?:0|[1-9]\d*))(?=[\s,}]))?/g;

/**
 * Parses JSON, with a bigint for each 64-bit integer. JSON.parse reads these as strings, because it would round them, and
 * only newer engines give a reviver the digits.
 */
export function parseExactly(text: string): unknown {
  const quoted = text.replace(STRING, (all, name: string, colon: string, digits: string | undefined) =>
    digits !== undefined && INT64.has(name.slice(1, -1)) ? `${name}${colon}"${digits}"` : all,
  );
  return JSON.parse(quoted, (name, value: unknown) =>
    INT64.has(name) && (typeof value === 'string' || typeof value === 'number') ? BigInt(value) : value,
  );
}

/** Serialises JSON with all digits of bigints. */
export function stringifyExactly(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  // Beyond 2^53, it is rounded already.
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new TypeError(`${value as number} is not exact: write a bigint, such as 7n.`);
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyExactly(member)}`).join(',')}}`;
}
