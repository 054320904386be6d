import type pg from 'pg';
import type { EntityManager, EntityMetadata, ObjectLiteral, Repository } from 'typeorm';
import type { Rows, Statement } from './pipeline.js';

type Columns = EntityMetadata['columns'];

/** A statement without values, and how its rows become entities. */
export interface Prepared<T> {
  readonly statement: Statement;
  readonly toEntities: (rows: Rows) => T[];
}

/** `conditions` are those of TypeORM's query builder, with the alias `row` and the parameters $1, $2 … */
export function prepareSelect<T extends ObjectLiteral>(
  repository: Repository<T>,
  name: string,
  conditions: string[],
  suffix: string,
): Prepared<T> {
  const { metadata } = repository;
  const builder = repository.createQueryBuilder('row');
  for (const condition of conditions) builder.andWhere(condition);
  const text = `${builder.getQuery()} ${suffix}`;
  const selected = metadata.columns.filter(({ isSelect }) => isSelect); // as the builder does
  return { statement: { name, text, rowMode: 'array' }, toEntities: entitiesOf(metadata, selected) };
}

/** For `count` rows with the values of `writtenProperties`. */
export function prepareInsert<T extends ObjectLiteral>(
  { metadata, manager }: Repository<T>,
  count: number,
): Prepared<T> {
  const { driver } = manager.dataSource;
  const list = (columns: Columns): string => columns.map(({ databaseName }) => driver.escape(databaseName)).join(', ');
  const written = metadata.columns.filter(isWritten);
  const rows = Array.from({ length: count }, (_, row) => {
    const parameters = written.map((_, column) => `$${row * written.length + column + 1}`);
    return `(${parameters.join(', ')})`;
  });
  const text = `INSERT INTO ${metadata.tablePath} (${list(written)}) VALUES ${rows.join(', ')} RETURNING ${list(metadata.columns)}`;
  const name = `${metadata.tableName}_insert_${count}`;
  return { statement: { name, text, rowMode: 'array' }, toEntities: entitiesOf(metadata, metadata.columns) };
}

export const writtenProperties = ({ columns }: EntityMetadata): string[] =>
  columns.filter(isWritten).map(({ propertyName }) => propertyName);

const isWritten = ({ isGenerated, default: value }: Columns[number]): boolean => !isGenerated && value === undefined;

/** On the connection of a transaction. It has no name, since that connection may be a pooler's. */
export async function runWithin({ queryRunner }: EntityManager, { text, values }: Statement): Promise<Rows> {
  const client = (await queryRunner!.connect()) as pg.Client;
  return (await client.query({ text, values, rowMode: 'array' })).rows;
}

function entitiesOf<T extends ObjectLiteral>(metadata: EntityMetadata, columns: Columns): (rows: Rows) => T[] {
  const Entity = metadata.target as new () => ObjectLiteral;
  const properties = columns.map(({ propertyName }) => propertyName);
  return (rows) =>
    rows.map((row) => {
      const entity = new Entity();
      for (let i = 0; i < properties.length; i++) entity[properties[i]!] = row[i];
      return entity as T;
    });
}
