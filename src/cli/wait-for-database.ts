import { withTimeout } from '../common/with-timeout.js';
import type { Database } from '../database/database.js';
import { UsageError } from './usage-error.js';

/** Waits until the database is connected and migrated. */
export function waitForDatabase(database: Database, timeoutMs: number): Promise<void> {
  return withTimeout(database.whenReady(), timeoutMs, () => {
    throw new UsageError('The database does not answer. Check DATABASE_URL, and that the server is running.');
  });
}
