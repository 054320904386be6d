import { withTimeout } from '../common/with-timeout.js';
import type { Database } from '../database/database.js';
import { UsageError } from './usage-error.js';

/** Waits until the database is connected and migrated. */
export function waitForDatabase(database: Database, timeoutMs: number): Promise<void> {
  return withTimeout(database.whenReady(), timeoutMs, () => {
    const problem = database.connectionProblem || 'it does not answer';
    throw new UsageError(
      `The database cannot be used: ${problem}\nCheck DATABASE_URL, and that the server is running.`,
    );
  });
}
