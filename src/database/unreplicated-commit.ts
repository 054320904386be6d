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
