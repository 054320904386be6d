import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import type { QueryRunner } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config.js';
import { createApp } from '../../src/create-app.js';
import { Database } from '../../src/database/database.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { createDatabase, databaseDistribution, type TestDatabase } from '../support/database.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const REPLICAS = 8;

/** What an operator may change while the service runs, and how it is changed back. */
const UNNOTICED: [change: string, undo: string][] = [
  ['ALTER TABLE pets ALTER name TYPE varchar(300)', 'ALTER TABLE pets ALTER name TYPE text'],
  ["ALTER TABLE pets ADD extra text DEFAULT 'x' NOT NULL", 'ALTER TABLE pets DROP extra'],
  ['CREATE INDEX more ON pets (name)', 'DROP INDEX more'],
  ['DROP INDEX pets_status_id', 'CREATE INDEX pets_status_id ON pets (status, id)'],
  ['ALTER TABLE orders ALTER quantity TYPE bigint', 'ALTER TABLE orders ALTER quantity TYPE integer'],
  ['ALTER TABLE api_keys ADD extra integer DEFAULT 1', 'ALTER TABLE api_keys DROP extra'],
  ['ALTER TABLE idempotency_records ADD extra integer', 'ALTER TABLE idempotency_records DROP extra'],
  ['VACUUM FULL pets', ''],
  ['REINDEX TABLE CONCURRENTLY pets', ''],
];

/** What makes statements fail until it is changed back. */
const MISSING: [change: string, undo: string][] = [
  ['ALTER TABLE pets RENAME name TO title', 'ALTER TABLE pets RENAME title TO name'],
  ['ALTER TABLE pets RENAME TO animals', 'ALTER TABLE animals RENAME TO pets'],
];

/** Must not be in a transaction, and takes longer than statements of the role may. */
class IndexNames1999000000000 {
  readonly transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_advisory_lock(1)');
    await runner.query('CREATE INDEX CONCURRENTLY pets_name ON pets (name)');
  }
  async down(): Promise<void> {}
}

describeInside('Replicas that start together', () => {
  let database: TestDatabase;
  const apps: NestFastifyApplication[] = [];
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  it('migrate an empty database once, and all become ready', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const settings = { databaseUrl: database.url, databaseDistribution, databasePoolSize: 6 };
    const another = await database.connect();
    await another.query('SELECT pg_advisory_lock(7203115944), pg_advisory_lock(1)');
    for (const limit of ['statement_timeout', 'lock_timeout'])
      await another.query(`ALTER DATABASE ${another.database} SET ${limit} = 200`);
    DatabaseModule.forFeature([], [IndexNames1999000000000]);
    for (let i = 0; i < REPLICAS; i++) apps.push(await createApp(Object.assign(new Config(), settings), { logger }));
    await until(async () => lines.some((line) => line.includes('Waiting for another process')));
    await apps.pop()!.close(); // which ends its waiting
    const sessions = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '^animal'";
    await until(async () => (await another.query(sessions)).rowCount! < REPLICAS);
    await another.query('SELECT pg_advisory_unlock(7203115944)');
    const ours = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    await until(async () => (await another.query(`SELECT FROM pg_locks WHERE NOT granted AND ${ours}`)).rowCount! > 0);
    await another.query('SELECT pg_sleep(0.4)');
    await another.query(`ALTER DATABASE ${another.database} RESET ALL`);
    await another.end();
    await Promise.all(apps.map((app) => app.get(Database).ready));
    expect(await database.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND ${ours}`)).toEqual([]);
    const applied = await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    const names = applied.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(lines.filter((line) => line.includes(names[0]!))).toHaveLength(1);
    expect(lines.join('')).not.toContain('canceling statement');
    const tables = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
    const made = (await database.query<{ name: string }>(tables)).map(({ name }) => name);
    expect(made).toEqual(expect.arrayContaining(['api_keys', 'idempotency_records', 'orders', 'pets']));
  });
});

describeInside('DDL while the service runs', () => {
  let service: Service;
  let keys: string[];
  beforeAll(async () => {
    service = await startService();
    keys = [];
    while (keys.length < 30) keys.push((await service.app.get(KeysService).issue({ name: 'ddl' })).key);
    await expectWell(); // prepares every statement
  });
  afterAll(() => service.stop());

  const run = (sql: string) => service.database.query(sql);

  /** One request of each kind. The key of the first has to be looked up. */
  async function statuses(): Promise<number[]> {
    const pet = { name: 'a', categoryId: 1, status: 'available' };
    const headers = { authorization: `Bearer ${keys.pop()}` };
    const created = await service.post('/v1/pets', pet, { headers });
    const { id = 1 } = (created.json ?? {}) as { id?: number };
    const underKey = { headers: { 'idempotency-key': randomUUID() } };
    const answers = [
      created,
      await service.post('/v1/pets', pet, underKey),
      await service.post('/v1/store/orders', { petId: id }),
      await service.get(`/v1/pets/${id}`),
      await service.get('/v1/pets?limit=1'),
      await service.get(`/v1/pets?status=pending&after=${id - 1}`),
    ];
    return answers.map(({ status }) => status);
  }

  async function expectWell(): Promise<void> {
    expect(await statuses()).toEqual([201, 201, 201, 200, 200, 200]);
  }

  const readinessBecomes = (status: number) =>
    until(async () => (await service.call('GET', '/health/ready')).status === status);

  it.each(UNNOTICED)('goes unnoticed, and so does its reversal: %s', async (change, undo) => {
    await run(change);
    await expectWell();
    if (undo) await run(undo);
    await expectWell();
  });

  it.each(MISSING)('is 503 while something is missing, then all is well again: %s', async (change, undo) => {
    await run(change);
    const seen = new Set(await statuses());
    await readinessBecomes(503).finally(() => run(undo));
    seen.delete(409); // an order of no animal
    expect(seen).toEqual(new Set([503]));
    await readinessBecomes(200);
    await expectWell();
  });

  it('that refuses inserts is 503 for them, without a value in the log, and reads go on', async () => {
    await run('TRUNCATE pets CASCADE');
    await run('ALTER TABLE pets ADD needed text NOT NULL');
    const answer = await service.post('/v1/pets', { name: 'Secret', categoryId: 1 });
    await run('ALTER TABLE pets DROP needed');
    expectError(answer, 'service_unavailable', expect.stringContaining('Nothing was stored'));
    expect((await service.get('/v1/pets')).status).toBe(200);
    await expectWell();
    expect(service.log.join('')).not.toContain('Secret');
    const open = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '^animal'";
    await until(async () => (await run(open)).length < 8); // what DDL has made useless is closed
  });
});
