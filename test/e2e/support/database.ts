import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import pg from 'pg';
import { createOnCitus, dropOnCitus, ofService } from '../../../scripts/support/citus-cluster.mjs';
import { CITUS } from '../../../src/database/citus/citus.js';
import type { DatabaseConnection, ServerConnection } from '../../../src/database/connection.js';
import { embed, type EmbeddedDatabase } from '../../../src/database/embedded/embedded-database.js';
import { engines } from '../../support/empty-database.js';
import { describeInside, requireInside } from './deployment.js';

/**
 * Tests that need a PostgreSQL server (`npm run with-postgres -- npm test`). The embedded engine has a single session, in
 * the process, so nothing can block, cut or exhaust it.
 */
export const describeOnServer = process.env['DATABASE_URL'] ? describe : describe.skip;

export const isCluster = Boolean(process.env['CITUS_NODE_URLS']);

/** Tests of what tables on a cluster cannot have, such as triggers (`npm run with-citus -- npm test`). */
export const describeOffCluster = isCluster ? describe.skip : describeInside;

/** Tests of one server, with what a cluster cannot have, such as a unique index without the column that distributes. */
export const describeOnOneServer = isCluster ? describe.skip : describeOnServer;

export interface TestDatabase {
  readonly connection: DatabaseConnection;
  /** Close the application first. */
  drop(): Promise<void>;
}

/** Creates an empty database on the server in DATABASE_URL, or on the embedded engine. */
export async function createDatabase(): Promise<TestDatabase> {
  requireInside('a database of its own');
  if (isCluster) return onCitus((process.env['CITUS_NODE_URLS'] ?? '').split(','));
  const server = process.env['DATABASE_URL'];
  return server ? onServer(server) : embedded();
}

/** On these nodes, the coordinator first. The workers answer reads. The role is no superuser. */
async function onCitus(nodes: string[]): Promise<TestDatabase> {
  const name = newName();
  await createOnCitus(nodes, name);
  const [coordinator = '', ...workers] = nodes;
  const url = ofService(coordinator, name);
  return {
    connection: {
      ...server(url, url),
      distribution: CITUS,
      standbyUrls: workers.map((node) => ofService(node, name)),
    },
    drop: () => dropOnCitus(nodes, name),
  };
}

async function onServer(url: string): Promise<TestDatabase> {
  const name = newName();
  // CREATE DATABASE does not work through a transaction pooler.
  const direct = process.env['DATABASE_DIRECT_URL'] ?? url;
  await run(direct, `CREATE DATABASE ${name}`);
  return {
    connection: server(at(url, name), at(direct, name)),
    drop: () => run(direct, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

function newName(): string {
  return `animal_store_test_${randomBytes(6).toString('hex')}`;
}

function server(url: string, directUrl: string): ServerConnection {
  const preparedStatements = process.env['DATABASE_PREPARED_STATEMENTS'] !== 'false';
  return { kind: 'server', url, directUrl, poolSize: 12, preparedStatements };
}

function at(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function embedded(): Promise<TestDatabase> {
  const engine = await engines.take();
  const database = embed(engine);
  // Ignores close(), because another test reuses the engine after the service stops.
  const lent: EmbeddedDatabase = { ...database, close: async () => {} };
  const drop = async (): Promise<void> => {
    if (await emptied(database)) engines.giveBack(engine);
    else await database.close().catch(() => {});
  };
  return { connection: { kind: 'embedded', engine: lent }, drop };
}

/** Empties the database on a new connection, which resets the session; false if a test has broken the engine. */
async function emptied({ driver }: EmbeddedDatabase): Promise<boolean> {
  const { Client } = driver as typeof pg;
  const client = new Client();
  try {
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE');
    await client.query('CREATE SCHEMA public');
    // The engine's statistics timer is set several seconds ahead and would keep the process alive. After a flush,
    // a shorter statement time-out replaces that timer for the last time.
    await client.query('SET statement_timeout = 10');
    await client.query('SELECT pg_stat_force_next_flush()');
    await client.end();
    return true;
  } catch {
    return false;
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
