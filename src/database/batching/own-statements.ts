import { DATABASE_LIMITS } from '../limits.js';
import type { PendingQuery, Row } from './statement.js';

const { statementMs, lockMs } = DATABASE_LIMITS;
export const NO_WAIT_MS = 1;

export const BEGIN = ownQuery('BEGIN');
export const COMMIT = ownQuery('COMMIT');
export const ROLLBACK = ownQuery('ROLLBACK');
export const CHECK_CONSTRAINTS = ownQuery('SET CONSTRAINTS ALL IMMEDIATE');
export const LIMITS = limits(lockMs, statementMs);
export const LIMITS_WHEN_LOCKED = limits(NO_WAIT_MS, statementMs);
export const NO_WAIT = ownQuery(`SELECT ${setting('lock_timeout', NO_WAIT_MS)}`);

/** Of each statement, until the end of the transaction. */
export function limits(ofLocks: number, ofStatements: number): PendingQuery {
  return ownQuery(
    `SELECT ${setting('lock_timeout', ofLocks)}, ${setting('statement_timeout', ofStatements)}`,
  );
}

function setting(name: string, ms: number): string {
  return `set_config('${name}', '${ms}', true)`;
}

/** Without a name, unlike those of callers. */
export function ownQuery(text: string): PendingQuery {
  const ignore = (): void => {};
  return {
    statement: { name: '', text, properties: [] },
    values: [],
    since: 0,
    resolve: ignore,
    reject: ignore,
  };
}

/** The time of the server, in milliseconds. */
export const ASK_TIME: PendingQuery = {
  ...ownQuery(''),
  statement: { name: '', text: 'SELECT extract(epoch FROM clock_timestamp()) * 1000', properties: ['time'] },
};

/** That a unit asked for at its end. */
export function timeIn(rows: readonly Row[][]): number | undefined {
  const time = rows.at(-1)?.[0]?.['time'];
  return time === undefined ? undefined : Number(time);
}

export function isCallerQuery({ statement }: PendingQuery): boolean {
  return statement.name !== '';
}
