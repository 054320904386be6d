import { describe, expect, it } from '@jest/globals';
import type { EntityMetadata } from 'typeorm';
import { EntitySql } from './entity-sql.js';

/** On a fake of TypeORM's metadata. */
function sqlOf(types: Record<string, string>): EntitySql {
  const dataSource = { driver: { normalizeType: ({ type }: { type: string }) => type } };
  const columns = Object.entries(types).map(([name, type]) => ({
    entityMetadata: { dataSource },
    propertyName: name,
    databaseName: name,
    type: type.replace('[]', ''),
    isArray: type.endsWith('[]'),
  }));
  return EntitySql.of({
    tableName: 'toys',
    tablePath: 'toys',
    columns,
    findColumnWithPropertyName: (wanted: string) =>
      columns.find(({ propertyName }) => propertyName === wanted),
  } as unknown as EntityMetadata);
}

describe('EntitySql.insert', () => {
  it('has a multi-row form', () => {
    const { forMany } = sqlOf({ id: 'bigint', name: 'text' }).insert(['name']);
    expect(forMany?.isNumbered).toBe(true);
    expect(forMany?.text.replaceAll(/\s+/g, ' ').trim()).toBe(
      'WITH given AS MATERIALIZED ( ' +
        `SELECT nextval((SELECT pg_get_serial_sequence('"toys"', 'id')::regclass)) AS "id", * ` +
        'FROM unnest($1::text[]) WITH ORDINALITY AS _ ("name", "#") ) ' +
        'INSERT INTO "toys" AS stored ("id", "name") OVERRIDING SYSTEM VALUE SELECT "id", "name" FROM given ' +
        'RETURNING "id", "name", coalesce((SELECT "#" FROM given WHERE given."id" = stored."id"), 1 / (0 * "id"))',
    );
  });

  it.each(['text[]', 'jsonb', 'toy_kind'])('has no multi-row form with a column of type %s', (type) => {
    expect(sqlOf({ name: 'text', other: type }).insert(['name', 'other']).forMany).toBeUndefined();
  });
});
