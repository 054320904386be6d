import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import type { DatabaseConnection } from '../../../src/database/connection.js';
import {
  type EmbeddedDatabase,
  openInMemoryDatabase,
} from '../../../src/database/embedded/embedded-database.js';
import { requireInside } from './deployment.js';

export interface TestDatabase {
  readonly connection: DatabaseConnection;
  /** Call it after the application was closed. */
  drop(): Promise<void>;
}

/** Engines that their tests are done with: emptying one takes a fraction of the time that starting one does. */
const idle: EmbeddedDatabase[] = [];
afterAll(async () => {
  for (const engine of idle.splice(0)) await engine.close();
});

/** An empty database for one test file: on the server that DATABASE_URL names, or on the embedded engine. */
export async function createDatabase(): Promise<TestDatabase> {
  requireInside('a database of its own');
  const server = process.env['DATABASE_URL'];
  return server ? onServer(server) : embedded();
}

async function onServer(server: string): Promise<TestDatabase> {
  const name = `animal_store_test_${randomBytes(6).toString('hex')}`;
  // Behind a pooler, what is not for transactions goes to the server itself.
  const direct = process.env['DATABASE_DIRECT_URL'] ?? server;
  await run(direct, `CREATE DATABASE ${name}`);
  return {
    connection: {
      kind: 'server',
      url: at(server, name),
      directUrl: at(direct, name),
      poolSize: 10,
      preparedStatements: process.env['DATABASE_PREPARED_STATEMENTS'] !== 'false',
    },
    drop: () => run(direct, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

function at(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function embedded(): Promise<TestDatabase> {
  const engine = (await emptied(idle.pop())) ?? (await started());
  // A service closes its database when it stops. This one is wanted again.
  const lent: EmbeddedDatabase = { ...engine, close: async () => {} };
  return { connection: { kind: 'embedded', engine: lent }, drop: async () => void idle.push(engine) };
}

async function started(): Promise<EmbeddedDatabase> {
  return openInMemoryDatabase(new Blob([await readFile(process.env['EMPTY_DATABASE'] ?? '')]));
}

/** An engine that a test has broken is of no more use. */
async function emptied(engine?: EmbeddedDatabase): Promise<EmbeddedDatabase | undefined> {
  if (!engine) return undefined;
  const { Client } = engine.driver as typeof pg;
  const client = new Client();
  try {
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE');
    await client.query('CREATE SCHEMA public');
    await client.end();
    return engine;
  } catch {
    await engine.close().catch(() => {});
    return undefined;
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
