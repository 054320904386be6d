import pg from 'pg';

const { DATE, INT8, TEXT, TIMESTAMP, TIMESTAMPTZ }: Record<string, number> = pg.types.builtins;
const TIMES: ReadonlySet<number | undefined> = new Set([DATE, TIMESTAMP, TIMESTAMPTZ]);
const pgParser: pg.CustomTypesConfig['getTypeParser'] = pg.types.getTypeParser;

/** Sends a `Date` in UTC. In local time, pg would lose the seconds that the offsets of early years have. */
pg.defaults.parseInputDatesAsUTC = true;

/** The last instant of a `Date`. The first is as far from 1970. */
export const FARTHEST_MS = 8.64e15;

/** pg's types, except that int8 becomes a bigint rather than a string, and that dates and timestamps become valid `Date`s. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) => {
    if (oid === INT8) return BigInt;
    const parse = pgParser(oid, format) as (text: string) => unknown;
    return TIMES.has(oid) ? (text: string) => withinDates(parse(text)) : parse;
  },
};

/** PostgreSQL knows infinity, which pg makes a number, and later years, which pg makes an invalid `Date`. */
function withinDates(time: unknown): unknown {
  if (Number.isFinite(Number(time))) return time;
  return new Date(time === -Infinity ? -FARTHEST_MS : FARTHEST_MS);
}

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
