import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database.js';
import { UsageError } from './usage-error.js';

/** Waits until the database is connected and migrated. */
export async function waitForDatabase(database: Database, timeoutMs: number): Promise<void> {
  await Promise.race([database.whenReady(), timeout(timeoutMs)]);
}

async function timeout(milliseconds: number): Promise<never> {
  await delay(milliseconds, undefined, { ref: false });
  throw new UsageError('The database does not answer. Check DATABASE_URL, and that the server is running.');
}
