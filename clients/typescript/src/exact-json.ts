import { isLosslessNumber, parse, stringify } from 'lossless-json';

/** Reads JSON. The named members are 64-bit integers and become bigints; a number would lose their last digits. */
export function parseExactly(text: string, int64Members: ReadonlySet<string>): unknown {
  return parse(text, (member, value) => {
    if (!isLosslessNumber(value)) return value;
    return int64Members.has(member) ? BigInt(value.value) : Number(value.value);
  });
}

/** Writes JSON, with bigints as plain digits. */
export function stringifyExactly(value: object): string {
  return stringify(value) ?? '';
}
