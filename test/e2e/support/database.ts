import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { DatabaseConnection } from '../../../src/database/connection.js';
import { openInMemoryDatabase } from '../../../src/database/embedded/embedded-database.js';

export interface TestDatabase {
  readonly connection: DatabaseConnection;
  /** Call it after the application was closed. */
  drop(): Promise<void>;
}

/** An empty database for one test file: on the server that DATABASE_URL names, or on the embedded engine. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'];
  return server ? onServer(server) : embedded();
}

async function onServer(server: string): Promise<TestDatabase> {
  const name = `animal_store_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await run(server, `CREATE DATABASE ${name}`);
  return {
    connection: {
      kind: 'server',
      url: url.href,
      poolSize: 10,
      preparedStatements: process.env['DATABASE_PREPARED_STATEMENTS'] !== 'false',
    },
    drop: () => run(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function embedded(): Promise<TestDatabase> {
  const empty = new Blob([await readFile(process.env['EMPTY_DATABASE'] ?? '')]);
  const engine = await openInMemoryDatabase(empty);
  return { connection: { kind: 'embedded', engine }, drop: () => engine.close() };
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
