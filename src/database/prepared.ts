import type { EntityMetadata, ObjectLiteral, Repository } from 'typeorm';
import type { Rows } from './pipeline.js';

/** A statement with its name, without values. */
export interface Prepared<T> {
  readonly statement: { readonly name: string; readonly text: string; readonly rowMode: 'array' };
  toEntities(rows: Rows): T[];
}

/** `conditions` are of TypeORM's query builder, with the alias `row` and the parameters $1, $2 … */
export function prepareSelect<T extends ObjectLiteral>(
  repository: Repository<T>,
  name: string,
  conditions: string[],
  suffix: string,
): Prepared<T> {
  const builder = repository.createQueryBuilder('row');
  const selected = repository.metadata.columns.filter(({ isSelect }) => isSelect); // as the builder does
  for (const condition of conditions) builder.andWhere(condition);
  return {
    statement: { name, text: `${builder.getQuery()} ${suffix}`, rowMode: 'array' },
    toEntities: entitiesOf(repository.metadata, selected),
  };
}

/** For `count` rows with the values of `writtenColumns`. */
export function prepareInsert<T extends ObjectLiteral>(
  { metadata, manager }: Repository<T>,
  count: number,
): Prepared<T> {
  const escape = (name: string): string => manager.dataSource.driver.escape(name);
  const list = (columns: EntityMetadata['columns']): string =>
    columns.map(({ databaseName }) => escape(databaseName)).join(', ');
  const written = writtenColumns(metadata);
  const rows = Array.from({ length: count }, (_, row) => {
    const parameters = written.map((_, column) => `$${row * written.length + column + 1}`);
    return `(${parameters.join(', ')})`;
  });
  const table = metadata.tablePath.split('.').map(escape).join('.');
  const text = `INSERT INTO ${table} (${list(written)}) VALUES ${rows.join(', ')} RETURNING ${list(metadata.columns)}`;
  return {
    statement: { name: `${metadata.tableName}_insert_${count}`, text, rowMode: 'array' },
    toEntities: entitiesOf(metadata, metadata.columns),
  };
}

export const writtenColumns = ({ columns }: EntityMetadata): EntityMetadata['columns'] =>
  columns.filter(({ isGenerated }) => !isGenerated);

function entitiesOf<T extends ObjectLiteral>(
  metadata: EntityMetadata,
  columns: EntityMetadata['columns'],
): (rows: Rows) => T[] {
  const Entity = metadata.target as new () => ObjectLiteral;
  const properties = columns.map(({ propertyName }) => propertyName);
  return (rows) =>
    rows.map((row) => {
      const entity = new Entity();
      properties.forEach((property, i) => (entity[property] = row[i]));
      return entity as T;
    });
}
