import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { Config } from '../../src/common/config.js';
import { createApp } from '../../src/create-app.js';
import { Database } from '../../src/database/database.js';
import { createDatabase, databaseDistribution, type TestDatabase } from '../support/database.js';
import { describeInside } from './support/deployment.js';

const REPLICAS = 8;

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
    const settings = { databaseUrl: database.url, databaseDistribution, databasePoolSize: 5 };
    for (let i = 0; i < REPLICAS; i++) apps.push(await createApp(Object.assign(new Config(), settings), { logger }));
    await Promise.all(apps.map((app) => app.get(Database).whenReady()));
    const applied = await database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    const names = applied.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(lines.filter((line) => line.includes(names[0]!))).toHaveLength(1);
    const tables = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
    const made = (await database.query<{ name: string }>(tables)).map(({ name }) => name);
    expect(made).toEqual(expect.arrayContaining(['api_keys', 'idempotency_records', 'orders', 'pets']));
  });
});
