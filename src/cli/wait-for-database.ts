import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database.js';
import { UsageError } from './usage-error.js';

/** Waits until the database is connected and migrated. */
export async function waitForDatabase(database: Database, timeoutMs: number): Promise<void> {
  await Promise.race([database.whenReady(), timeout(database, timeoutMs)]);
}

async function timeout(database: Database, milliseconds: number): Promise<never> {
  await delay(milliseconds, undefined, { ref: false });
  const problem = database.connectionProblem || 'it does not answer';
  throw new UsageError(
    `The database cannot be used: ${problem}\nCheck DATABASE_URL, and that the server is running.`,
  );
}
