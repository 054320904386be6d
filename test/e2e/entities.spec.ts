import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SamplesModule } from '../../scripts/template/samples.module.js';
import { type Field, fieldsOf } from '../../src/api/field.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { describeOnOneServer } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

/** Names of primary keys are the migrations' affair. */
const DEFINITIONS = `
  SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND contype NOT IN ('p', 'n') AND conrelid::regclass::text <> 'migrations'
  UNION SELECT tablename, indexname, indexdef FROM pg_indexes
  WHERE schemaname = 'public' AND indexname NOT ILIKE 'pk_%' AND indexname NOT LIKE '%_pkey' ORDER BY 1, 2`;
const TYPES = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = $1::regclass`;

describeOnOneServer('Entities', () => {
  let service: Service;
  let empty: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    service = await startService({}, undefined, [SamplesModule]);
    empty = await createDatabase();
    source = service.app.get(DataSource);
  });
  afterAll(async () => {
    await service.stop();
    await empty.drop();
  });

  /** Reading or making a schema may take longer than the time limits of requests. */
  const open = ({ url }: TestDatabase, synchronize = false) => {
    const entities = source.entityMetadatas.map(({ target }) => target);
    const options = { ...source.options, entities, extra: { connectionString: url }, synchronize };
    return new DataSource(options).initialize();
  };

  it('and migrations describe the same columns', async () => {
    const opened = await open(service.database);
    const { upQueries } = await opened.driver.createSchemaBuilder().log();
    await opened.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    const options = `SELECT reloptions FROM pg_class WHERE relname = 'idempotency_records'`;
    expect(await service.database.query(options)).toEqual([{ reloptions: ['vacuum_truncate=false'] }]);
  });

  it('and migrations describe the same constraints and indexes', async () => {
    await (await open(empty, true)).destroy();
    expect(await empty.query(DEFINITIONS)).toEqual(await service.database.query(DEFINITIONS));
  });

  it('have exact values in lists, too', async () => {
    const columns = `'{9007199254740993,NULL}'::int8[] AS ids, '{12345678901234567.89}'::numeric[] AS prices, '{2026-03-31}'::date[] AS days, '2026-03-31'::date AS day`;
    const exact = { ids: [9_007_199_254_740_993n, null], prices: ['12345678901234567.89'], days: ['2026-03-31'] };
    expect(await source.query(`SELECT ${columns}`)).toEqual([{ ...exact, day: '2026-03-31' }]);
  });

  it('have columns for the fields of their DTOs', async () => {
    const folders = ['src', 'scripts/template'].map((folder) => resolve(folder));
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => resolve(folder, name)),
    );
    const modules = files.filter((path) => path.endsWith('.dto.ts')).map((path) => import(path) as Promise<object>);
    const classes = new Map(
      (await Promise.all(modules)).flatMap((module) => Object.entries(module) as [string, Type][]),
    );
    const faults: string[] = [];
    for (const { name, tablePath, columns } of source.entityMetadatas) {
      const rows = await service.database.query<{ name: string; type: string }>(TYPES, [tablePath]);
      for (const dto of [`New${name}Dto`, `${name}ChangeDto`, `${name}Dto`]) {
        const fields = classes.has(dto) ? fieldsOf(classes.get(dto)!) : new Map<string, Field>();
        for (const { propertyName, databaseName } of columns) {
          const field = fields.get(propertyName);
          const { type } = rows.find((row) => row.name === databaseName)!;
          if (field && !fits(field, type)) faults.push(`${dto}.${propertyName} needs ${field.column}, not ${type}`);
        }
      }
    }
    expect(faults).toEqual([]);
    expect(classes.size).toBeGreaterThan(5);
  });
});

/** Whether a column of this type takes every value of the field, and gives it back as what it was. */
function fits({ column, schema }: Field, type: string): boolean {
  const { format, minimum, maximum, maxLength } = schema as Record<string, never>;
  if (column === 'integer') {
    const isSmall = Number(minimum) >= -(2 ** 15) && Number(maximum) < 2 ** 15;
    return format === 'int32' && (type === 'integer' || (type === 'smallint' && isSmall));
  }
  const [, length] = /^character varying\((\d+)\)$/.exec(type) ?? [];
  return type === column || (column === 'text' && Number(length) >= Number(maxLength));
}
