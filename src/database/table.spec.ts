import { expect, it } from '@jest/globals';
import type { EntityMetadata } from 'typeorm';
import { Table } from './table.js';

it('Tables of one name in two schemas have statements of two names, since a connection knows a statement by its name', () => {
  const nameIn = (schema: string) => {
    const none = { columns: [], indices: [], uniques: [], exclusions: [], foreignKeys: [] };
    const metadata = { ...none, tableName: 'pets', tablePath: `${schema}.pets` } as unknown as EntityMetadata;
    const [{ name }] = new Table(metadata, true).select({});
    return name;
  };
  expect(nameIn('one')).not.toBe(nameIn('other'));
});
