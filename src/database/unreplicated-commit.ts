import { DatabaseError } from 'pg';

/**
 * PostgreSQL only warns when the wait of a commit for a synchronous standby is cancelled, although a failover may lose that
 * commit. Returns the warning as an error whose code says that the outcome is unknown.
 */
export function unreplicatedCommit(notice: Partial<DatabaseError>): DatabaseError | undefined {
  const { routine, message = '', length = 0 } = notice;
  if (routine !== 'SyncRepWaitForLSN') return undefined;
  return Object.assign(new DatabaseError(message, length, 'error'), { code: '40003', routine });
}

/**
 * Others see such a commit at once. So a transaction that changes nothing, because it finds its change made, writes a record
 * that has no effect: then its own commit waits for a standby, which has all earlier ones.
 */
export const WAIT_FOR_STANDBY = `
  SELECT pg_logical_emit_message(true, 'animal-store', ''::text)
  WHERE pg_current_xact_id_if_assigned() IS NULL AND current_setting('synchronous_standby_names') <> ''`;
