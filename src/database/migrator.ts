import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type Type } from '@nestjs/common';
import { DataSource, type MigrationInterface, MigrationExecutor, type QueryRunner } from 'typeorm';
import { printable } from '../common/printable.js';
import { refuseCluster } from './citus/require-cluster.js';
import type { DatabaseConnection } from './connection.js';
import { migrationOptions } from './data-source-options.js';
import { driverErrorOf } from './database-errors.js';
import type { OtherTables } from './kept.js';
import { SLOW_STATEMENT_LIMITS } from './limits.js';
import { MigrationClient } from './migration-driver.js';
import { requireKept } from './require-kept.js';
import { requireSameDatabase } from './require-same-database.js';
import { requireUtf8 } from './require-utf8.js';
import { LOCK_NOT_AVAILABLE } from './sqlstate.js';

export type Migration = new () => MigrationInterface;

/** What a cluster distributes after the migrations. */
export interface Tables {
  readonly entities: Type[];
  readonly others: OtherTables;
}

/** The key of the advisory lock: any number, but the same in every release. */
const LOCK = 7_203_115_944;
const RETRY_MS = 100;
/** Writes of requests queue behind a lock that a migration waits for, and must not fail for it. */
const LOCK_WAIT_MS = 200;
const LOCK_RETRY_MS = 1_000;
/**
 * The server ends the session, and so frees the lock, of a process that it cannot reach. So a migration may compute for less
 * than this between two statements.
 */
const LIMIT_IDLE = "SET idle_session_timeout = '60s'; SET idle_in_transaction_session_timeout = '60s'";
const WARN_AFTER_MS = 1_000;
const WARN_EVERY_MS = 10_000;

const logger = new Logger('Migrations');

/**
 * Runs the pending migrations and returns their names. Replicas that start together take turns. They poll for the lock,
 * because a statement that waits for it holds a snapshot, and CREATE INDEX CONCURRENTLY waits for older snapshots.
 */
export async function migrate(
  connection: DatabaseConnection,
  migrations: Migration[],
  signal?: AbortSignal,
  tables: Tables = { entities: [], others: {} },
): Promise<string[]> {
  const distribution = connection.kind === 'server' ? connection.distribution : undefined;
  const entities = distribution ? tables.entities : [];
  const dataSource = new DataSource({ ...migrationOptions(connection), migrations, entities });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    if (connection.kind === 'server') await requireSameDatabase(runner, connection);
    await requireUtf8(runner);
    if (distribution) await distribution.requireCluster(runner);
    else if (connection.kind === 'server') await refuseCluster(runner);
    await limitStatements(runner, true);
    await lock(runner, signal);
    if (connection.kind === 'server') limitLockWaits(runner);
    if (distribution) dataSource.entityMetadatas.forEach(requireKept);
    await distribution?.postponeReferences(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const isPending = distribution !== undefined || (await executor.getPendingMigrations()).length > 0;
    const work = async (): Promise<{ name: string }[]> => {
      const ran = await runPending(executor, signal);
      const distributed = (await distribution?.distribute(runner, tables.others)) ?? [];
      if (distributed.length > 0) logger.log(`Distributed the tables: ${distributed.join(', ')}`);
      return ran;
    };
    const done = isPending ? await withoutLimits(runner, () => warnWhileRunning(work)) : [];
    await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

async function lock(runner: QueryRunner, signal?: AbortSignal): Promise<void> {
  const begun = performance.now();
  for (let warnAt = begun + WARN_AFTER_MS; ; await delay(RETRY_MS, undefined, { signal })) {
    const [{ locked }] = await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
    if (locked) return;
    if (performance.now() < warnAt) continue;
    warnAt = performance.now() + WARN_EVERY_MS;
    const seconds = Math.round((performance.now() - begun) / 1000);
    logger.warn(
      `Waiting for ${seconds} s for another process to migrate the database: ${await holderOf(runner)}`,
    );
  }
}

/** The server hides some columns from roles without pg_read_all_stats. */
async function holderOf(runner: QueryRunner): Promise<string> {
  const [holder] = (await runner.query(HOLDER, [LOCK])) as (Record<string, string | null> | undefined)[];
  if (!holder) return 'it has just ended.';
  const { pid, application, address, state, since } = holder;
  const about = [application, address, state, since].filter(Boolean).join(', ');
  return `server process ${pid} holds the lock (${printable(about)}).`;
}

/** pg_locks splits the 64-bit key into two columns. */
const HOLDER = `
  SELECT pid, application_name AS application, host(client_addr) AS address, state,
         to_char(backend_start AT TIME ZONE 'UTC', '"connected since" YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
  FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = $1`;

/** Here as well, since an answer may be lost, and on the server, where a statement that nobody waits for keeps the lock. */
async function limitStatements(runner: QueryRunner, isLimited: boolean): Promise<void> {
  const client: unknown = await runner.connect();
  if (!(client instanceof MigrationClient)) return; // the embedded engine always answers
  client.isLimited = isLimited;
  const { statement_timeout } = SLOW_STATEMENT_LIMITS;
  const limit = isLimited ? `SET statement_timeout = ${statement_timeout}` : 'RESET statement_timeout';
  await runner.query(`${LIMIT_IDLE}; ${limit}`);
}

async function withoutLimits<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await limitStatements(runner, false);
  const result = await work();
  await limitStatements(runner, true);
  return result;
}

/** Not outside of transactions: CREATE INDEX CONCURRENTLY waits without blocking writes, and leaves a broken index if it fails. */
function limitLockWaits(runner: QueryRunner): void {
  const start = runner.startTransaction.bind(runner);
  runner.startTransaction = async (isolation) => {
    await start(isolation);
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  };
}

async function runPending(executor: MigrationExecutor, signal?: AbortSignal): Promise<{ name: string }[]> {
  for (;;) {
    try {
      return await executor.executePendingMigrations();
    } catch (error) {
      if ((driverErrorOf(error) as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await delay(LOCK_RETRY_MS, undefined, { signal });
    }
  }
}

const HINT =
  'If they wait for locks, this shows the longest transactions: ' +
  'SELECT pid, xact_start, query FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start';

/** A slow migration cannot be told from one that waits for a lock, so the operator gets a hint. */
function warnWhileRunning<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    logger.warn(`The migrations have been running for ${seconds} s. ${HINT}`);
  }, WARN_EVERY_MS);
  return work().finally(() => clearInterval(timer));
}
