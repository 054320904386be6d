import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Config } from '../common/config.js';
import type { MigrationClass } from './citus.js';
import { migrationOptions } from './data-source-options.js';

/** The migrations of all features. */
export const MIGRATIONS = new Set<MigrationClass>();

/** The key of the advisory lock: any number, but the same in every release. */
const LOCK = 7_203_115_944;
const POLL_MS = 100;
const SAY_AFTER_MS = 1_000;

/** In another encoding, PostgreSQL would refuse some names of animals, or count their bytes instead of their characters. */
const NEW_DATABASE = `Create one with ENCODING 'UTF8' TEMPLATE template0, and restore a dump of this one into it.`;

/**
 * Runs the pending migrations, each in its transaction, and returns their names. Replicas that start together take turns:
 * they poll for a lock. If they waited for it in a statement, the CREATE INDEX CONCURRENTLY of the one that holds the lock
 * would wait for that statement to end, and neither would get any further.
 */
export async function migrate(config: Config, signal: AbortSignal): Promise<string[]> {
  const isWanted = ({ isDistribution }: MigrationClass) => !isDistribution || config.databaseDistribution;
  const migrations = [...MIGRATIONS].filter(isWanted);
  const dataSource = await new DataSource({ ...migrationOptions(config), migrations }).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SET statement_timeout = 0; SET lock_timeout = 0'); // the role may have limits
    const [{ server_encoding: encoding }] = await runner.query('SHOW server_encoding');
    if (encoding !== 'UTF8') throw new Error(`The database is encoded as ${encoding}, not as UTF8. ${NEW_DATABASE}`);
    await lock(runner, signal);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
    await dataSource.destroy(); // ends the session, and so frees the lock
  }
}

async function lock(runner: QueryRunner, signal: AbortSignal): Promise<void> {
  for (let waited = 0; ; waited += POLL_MS) {
    const [{ locked }] = await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
    if (locked) return;
    if (waited === SAY_AFTER_MS)
      new Logger('Migrations').warn('Waiting for another process to migrate the database: pg_locks shows its lock.');
    await sleep(POLL_MS, undefined, { signal });
  }
}
