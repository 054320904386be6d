import pg from 'pg';

const INT8: number = pg.types.builtins.INT8;
const itsOwn = pg.types.getTypeParser as pg.CustomTypesConfig['getTypeParser'];

/** The driver's own types, but for int8: a bigint, exact over its whole range, where the default is a string. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    Number(oid) === INT8 ? BigInt : (itsOwn(oid, format) as (text: string) => unknown),
};
