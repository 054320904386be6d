import pg from 'pg';

const { INT8, TEXT }: Record<string, number> = pg.types.builtins;
const pgParser: pg.CustomTypesConfig['getTypeParser'] = pg.types.getTypeParser;

/** Sends a `Date` in UTC. In local time, pg would lose the seconds that the offsets of early years have. */
pg.defaults.parseInputDatesAsUTC = true;

/** pg's types, except that int8 becomes a bigint rather than a string. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) =>
    oid === INT8 ? BigInt : (pgParser(oid, format) as (text: string) => unknown),
};

/** Parses a value from its text in the bytes of a row. */
export type FieldReader = (bytes: Buffer, start: number, end: number) => unknown;

/** Parses the same types without a string where possible. */
export function fieldReader(oid: number): FieldReader {
  if (oid === INT8) return readBigInt;
  if (oid === TEXT) return readText;
  const parse = types.getTypeParser(oid, 'text') as (text: string) => unknown;
  return (bytes, start, end) => parse(readText(bytes, start, end));
}

function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}

/** Up to 15 digits need no string: a number holds them exactly. */
function readBigInt(bytes: Buffer, start: number, end: number): bigint {
  if (end - start > 15) return BigInt(bytes.toString('latin1', start, end));
  const isNegative = bytes[start] === MINUS;
  let number = 0;
  for (let i = isNegative ? start + 1 : start; i < end; i++)
    number = number * 10 + (bytes[i] as number) - ZERO;
  return BigInt(isNegative ? -number : number);
}

const MINUS = 0x2d;
const ZERO = 0x30;
