import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { isPlain, nameOf } from './column-values.js';

/**
 * Rejects an entity for which the fast methods would silently do something else than TypeORM. They read and write the
 * columns of one table, and nothing else.
 *
 * @throws an error that names the property
 */
export function requireFit(entity: EntityMetadata): void {
  const problem = [...problemsOf(entity)][0];
  if (!problem) return;
  throw new Error(
    `${problem} The fast methods of a BatchedRepository, such as readOne, do not support that. Change it, or declare ` +
      `${entity.name} with TypeOrmModule.forFeature instead of DatabaseModule.forFeature: that provides TypeORM's ` +
      'repository without these methods.',
  );
}

function* problemsOf(entity: EntityMetadata): Generator<string> {
  const { name, columns, relations, primaryColumns, listeners } = entity;
  const [key, ...others] = primaryColumns;
  if (key?.propertyName !== 'id' || others.length > 0 || !key.isGenerated || key.type !== 'bigint')
    yield `${name}.id is not the primary key of ${name}, generated, and of the type bigint.`;
  if (entity.inheritancePattern || entity.discriminatorColumn) yield `${name} shares its table.`;
  for (const relation of relations) {
    const property = `${name}.${relation.propertyName}`;
    if (relation.isEager || relation.isLazy)
      yield `${property} is a relation that is loaded with its entity.`;
    for (const column of relation.joinColumns) {
      if (column.isVirtual)
        yield `${property} is a relation without a property for its column ${column.databaseName}, such as \`@Column('bigint', { name: '${column.databaseName}' }) readonly ${relation.propertyName}Id!: bigint\`.`;
    }
  }
  for (const column of columns) {
    if (column.embeddedMetadata) yield `${name}.${column.propertyPath} is a property of an embedded class.`;
    else if (column.transformer && isPlain(column)) yield `${nameOf(column)} has a transformer.`;
    else if (column.isVirtualProperty) yield `${nameOf(column)} is not a column of the table.`;
    else if (!column.isSelect) yield `${nameOf(column)} is not selected by default.`;
    else if (column.isDeleteDate) yield `${nameOf(column)} marks deleted rows.`;
    else if (column.isVersion) yield `${nameOf(column)} is a version that TypeORM counts.`;
  }
  for (const { propertyName, type } of listeners) yield `${name}.${propertyName} is called at ${type}.`;
}

/** @throws for a property that rows may share, or lack: pages in its order would miss some of them */
export function requireUnique(column: ColumnMetadata): void {
  const { indices, uniques } = column.entityMetadata;
  const keys = [...uniques, ...indices.filter(({ isUnique, where }) => isUnique && !where)];
  const isUnique = keys.some(({ columns }) => columns.length === 1 && columns[0] === column);
  if (column.isPrimary || (isUnique && !column.isNullable)) return;
  throw new Error(
    `A list by ${nameOf(column)} needs a unique index on that property alone, which must not be nullable: its pages ` +
      'would miss rows.',
  );
}

/** @throws for a property of which rows lack a value, or have one that is finer than a `Date` */
export function requireTime(column: ColumnMetadata): void {
  if (column.type === 'timestamp with time zone' && column.precision === 3 && !column.isNullable) return;
  throw new Error(
    `A list by ${nameOf(column)} needs a column of timestamptz(3) that is not nullable: its pages would miss rows.`,
  );
}
