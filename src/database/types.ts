import pg from 'pg';

const INT8: number = pg.types.builtins.INT8;
const itsOwn: pg.CustomTypesConfig['getTypeParser'] = pg.types.getTypeParser;

/** The driver's own types, but for int8: a bigint, exact over its whole range, where the default is a string. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) =>
    oid === INT8 ? toBigInt : (itsOwn(oid, format) as (text: string) => unknown),
};

/** Up to 15 digits, a number on the way is exact too, and takes half the time. */
function toBigInt(text: string): bigint {
  return text.length < 16 ? BigInt(Number(text)) : BigInt(text);
}
