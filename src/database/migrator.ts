import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type MigrationInterface, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { DatabaseConnection } from './connection.js';
import { requireUtf8 } from './encoding.js';
import { migrationOptions } from './data-source-options.js';

export type Migration = new () => MigrationInterface;

/** Any number, as long as every release of this service uses the same. */
const LOCK = 7_203_115_944;
const RETRY_MS = 100;

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Replicas that start together
 * take turns: the lock is asked for again and again rather than waited for, because a statement that waits holds
 * a snapshot, and CREATE INDEX CONCURRENTLY waits for every older snapshot to go.
 */
export async function migrate(
  connection: DatabaseConnection,
  migrations: Migration[],
  signal?: AbortSignal,
): Promise<string[]> {
  const dataSource = new DataSource({ ...migrationOptions(connection), migrations });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await requireUtf8(runner);
    await lock(runner, signal);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

async function lock(runner: QueryRunner, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const [{ locked }] = await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
    if (locked) return;
    await delay(RETRY_MS, undefined, { signal });
  }
}
