import type { Type } from '@nestjs/common';
import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { ForeignKeyMetadata } from 'typeorm/metadata/ForeignKeyMetadata.js';

/**
 * How a cluster keeps a table.
 *
 * - `distributed`: each row on one node. Rows with neighbouring ids lie together; so do rows that refer to a distributed
 *   table, with those that they refer to.
 * - `everywhere`: all rows on every node. For tables that are small or rarely change, and that others refer to.
 * - `local`: on the coordinator. Its changes must not share a transaction with those of other tables, nor have an
 *   Idempotency-Key.
 * - `unsupported`: not at all, because it could not hold the constraints. A start on a cluster is refused.
 */
export type Keeping = 'distributed' | 'everywhere' | 'local' | 'unsupported';

/** Tables without an entity, with the column by whose hash a cluster distributes them. */
export type OtherTables = Readonly<Record<string, string>>;

const keepings = new WeakMap<object, Keeping>();

/** Says how a cluster keeps the table of the entity. A single server keeps all tables alike. */
export function Kept(keeping: Keeping): ClassDecorator {
  return (entity) => void keepings.set(entity, keeping);
}

export function keepingOf(entity: EntityMetadata | Type): Keeping | undefined {
  return keepings.get(typeof entity === 'function' ? entity : (entity.target as object));
}

/** The column that decides where a row of a distributed table lies: its id, or a reference to a distributed table. */
export function placeOf(entity: EntityMetadata): ColumnMetadata {
  return referencesToDistributed(entity)[0]?.columns[0] ?? (entity.primaryColumns[0] as ColumnMetadata);
}

export function referencesToDistributed({ foreignKeys }: EntityMetadata): ForeignKeyMetadata[] {
  return foreignKeys.filter(
    ({ referencedEntityMetadata }) => keepingOf(referencedEntityMetadata) === 'distributed',
  );
}
