import { DatabaseOutage } from '../database-errors.js';
import type { Row, Statement } from '../batching/statement.js';
import type { StatementQueue } from '../batching/statement-queue.js';
import { SERVER } from '../server/server-identity.js';

/**
 * Every acknowledged commit is flushed. Where commits are acknowledged before that, the position includes what is not:
 * standbys get it later, and the primary serves until then.
 */
const READ_INDEX: Statement = {
  name: 'read index',
  text: `
    SELECT ${SERVER}, (CASE WHEN current_setting('synchronous_commit') = 'off'
      THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint`,
  properties: ['primary', 'position'],
};

/** A position in the write-ahead log of a primary. */
export interface ReadIndex {
  readonly primary: bigint;
  readonly position: bigint;
}

/** The primary did not tell its position, so no read of the batch can be served. */
export class NoReadIndex {
  constructor(readonly cause: unknown) {}
}

/**
 * Returns the position of the primary: whoever has replayed the log up to it has every change that was acknowledged before
 * the call, by any replica of the service. Calls at the same time share a question.
 */
export async function readIndex(primary: StatementQueue): Promise<ReadIndex> {
  const [row] = await askPrimary(primary, READ_INDEX, []);
  return row as unknown as ReadIndex;
}

/** A question without whose answer no standby can serve. */
export async function askPrimary(
  primary: StatementQueue,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return await primary.run(statement, values);
  } catch (error) {
    // Anything else is no outage: the primary can be asked for the rows.
    throw error instanceof DatabaseOutage ? new NoReadIndex(error) : error;
  }
}
