import pg from 'pg';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** Makes what is sent of a value: a string, bytes or null. Throws for a value that cannot be sent. */
export type Encoder = (value: unknown) => unknown;
/** Changes a parsed value to that of the property. */
export type Decoder = (value: unknown) => unknown;

/** How pg writes a value. Its types leave this out. */
export const { prepareValue } = (pg as unknown as { utils: { prepareValue: Encoder } }).utils;

/** In arrays, pg writes them as text. That is fine for a list of hashes, and slow for files. */
const BYTES = 'bytea';
/** Types that round-trip through array parameters. */
const ARRAY_SAFE_TYPES = new Set([
  'bigint',
  'boolean',
  'character varying',
  'date',
  'double precision',
  'integer',
  'numeric',
  'real',
  'smallint',
  'text',
  'timestamp with time zone',
  'timestamp without time zone',
  'uuid',
]);

/** The type of a column in PostgreSQL; undefined if it does not survive an array. unnest flattens an array of arrays. */
export function arraySafeType(column: ColumnMetadata): string | undefined {
  const type = typeOf(column);
  return ARRAY_SAFE_TYPES.has(type) && !column.isArray ? type : undefined;
}

/** @throws for a column whose values cannot be listed */
export function listTypeOf(column: ColumnMetadata): string {
  const type = typeOf(column) === BYTES && !column.isArray ? BYTES : arraySafeType(column);
  if (type) return type;
  throw new Error(`A filter cannot list values of ${nameOf(column)}: its type does not survive an array.`);
}

/** Only the caller of an encoder is rejected. An error while a batch is being written would affect all of its callers. */
export function encoderOf(column: ColumnMetadata): Encoder {
  const encode = isPlain(column) ? prepareValue : throughTypeOrm(column);
  return (value) => {
    try {
      return encode(value);
    } catch (cause) {
      throw new Error(`A value of ${nameOf(column)} cannot be sent to the database.`, { cause });
    }
  };
}

/** Encodes a list of values as one array. */
export function listEncoderOf(column: ColumnMetadata): Encoder {
  const encode = encoderOf(column);
  return (values) =>
    prepareValue(
      (values as unknown[]).map((value) => {
        if (value === null || value === undefined)
          throw new Error(`A list of values of ${nameOf(column)} contains ${String(value)}.`);
        return encode(value);
      }),
    );
}

/** Undefined for types whose values TypeORM takes as pg parses them. */
export function decoderOf(column: ColumnMetadata): Decoder | undefined {
  if (isPlain(column)) return undefined;
  const { driver } = column.entityMetadata.dataSource;
  return (value) => driver.prepareHydratedValue(value, column) as unknown;
}

function throughTypeOrm(column: ColumnMetadata): Encoder {
  const { driver } = column.entityMetadata.dataSource;
  return (value) => prepareValue(driver.preparePersistentValue(value, column));
}

/** Whether pg alone treats values as TypeORM does. TypeORM takes a date as text, and any JSON value as JSON. */
export function isPlain(column: ColumnMetadata): boolean {
  const type = typeOf(column);
  return (type === BYTES || ARRAY_SAFE_TYPES.has(type)) && type !== 'date' && !column.isArray;
}

function typeOf(column: ColumnMetadata): string {
  return column.entityMetadata.dataSource.driver.normalizeType(column);
}

export function nameOf({ entityMetadata, propertyName }: ColumnMetadata): string {
  return `${entityMetadata.name}.${propertyName}`;
}
