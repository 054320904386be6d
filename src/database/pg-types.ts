import pg from 'pg';

const { INT8, TEXT }: Record<string, number> = pg.types.builtins;
const itsOwn: pg.CustomTypesConfig['getTypeParser'] = pg.types.getTypeParser;

/** The driver's own types, but for int8: a bigint, exact over its whole range, where the default is a string. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) =>
    oid === INT8 ? BigInt : (itsOwn(oid, format) as (text: string) => unknown),
};

/** Reads a value from where the server's answer has its text. */
export type FieldReader = (bytes: Buffer, start: number, end: number) => unknown;

/** The same types, read from the bytes. */
export function fieldReader(oid: number): FieldReader {
  if (oid === INT8) return readBigInt;
  if (oid === TEXT) return readText;
  const parse = types.getTypeParser(oid, 'text') as (text: string) => unknown;
  return (bytes, start, end) => parse(readText(bytes, start, end));
}

function readText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end);
}

/** The texts of most are not made at all: a number holds 15 digits exactly. */
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
