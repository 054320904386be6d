import { isLosslessNumber, parse, stringify } from 'lossless-json';

/** Parses JSON. The named members are 64-bit integers, or arrays of them, and become bigints to keep every digit. */
export function parseExactly(text: string, int64Members: ReadonlySet<string>): unknown {
  const exact = (value: unknown, member: string): unknown => {
    if (isLosslessNumber(value)) return int64Members.has(member) ? BigInt(value.value) : Number(value.value);
    if (Array.isArray(value)) return value.map((item) => exact(item, member));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, exact(inner, name)]));
  };
  return exact(parse(text), '');
}

/** Serialises JSON with bigints as plain digits. */
export function stringifyExactly(value: object): string {
  return stringify(value) ?? '';
}
