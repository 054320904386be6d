import { types } from 'node:util';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The database cannot serve a correct request at the moment. Thrown where it is known whether a change may be stored. */
export class DatabaseUnavailable extends Error {
  /** @param isUnknown whether a change was sent and not answered, so that it may have taken effect */
  constructor(
    readonly isUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(isUnknown ? 'The outcome is unknown' : 'The database is not available', options);
  }
}

/**
 * - `unknown`: the server, or a worker of Citus, was lost, so that a change may have taken effect
 * - `unavailable`: there is no connection, or it was lost before a change could be stored
 * - `refused`: the server cannot run the statement at the moment, and has rolled it back
 * - `unusable`: an operator has to repair the database, such as a table or a privilege that is missing or was changed
 * - `constraint`: the values violate a constraint, for which a feature may have declared an error
 */
export type Meaning = 'unknown' | 'unavailable' | 'refused' | 'unusable' | 'constraint';

/** The meanings of SQLSTATEs, or of whole classes of them. The first match counts. */
const MEANINGS: readonly (readonly [states: RegExp, meaning: Meaning])[] = [
  [/^(?:08|40003|57P01|57P02|57P05)/, 'unknown'],
  [/^23(?:503|505|514|P01)$/, 'constraint'],
  [/^(?:22001|23502|25006|28|3D000|42501|42703|42P01)/, 'unusable'],
  [/^(?:0A000|25P03|26000|40|42P05|53|55P03|57|58|XX)/, 'refused'],
];

/** What an error means for a request; undefined for an error of something else, or a mistake in our code. */
export function meaningOf(thrown: unknown): Meaning | undefined {
  if (thrown instanceof DatabaseUnavailable) {
    if (thrown.isUnknown) return 'unknown';
    return meaningOf(thrown.cause) === 'unusable' ? 'unusable' : 'unavailable'; // such as a role that the server refuses
  }
  const state = sqlStateOf(thrown);
  if (state !== undefined) return MEANINGS.find(([states]) => states.test(state))?.[1];
  return thrown instanceof QueryFailedError ? 'unknown' : undefined; // the statement was sent and not answered
}

/** The SQLSTATE, if the server has answered with one. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const error = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Whether a statement was not run: its plan is outdated, its prepared name unknown or taken, or the server read-only. */
export function isStale(thrown: unknown): boolean {
  return /^(?:0A000|26000|42P05|25006)$/.test(sqlStateOf(thrown) ?? '');
}

export function constraintOf(thrown: unknown): string | undefined {
  const { constraint, message } = causeOf(thrown as Error) as pg.DatabaseError;
  // Citus names the constraint only in the message, and appends the shard's number. REINDEX CONCURRENTLY appends _ccnew.
  const name = constraint ?? /constraint "(.+?)(?:_\d+)?"/.exec(message)?.[1];
  return name?.replace(/_cc(?:new|old)\d*$/, '');
}

/** The reason of an error, for logs and commands. The messages of pg contain no password. */
export function reasonOf(thrown: unknown): string {
  if (!types.isNativeError(thrown)) return String(thrown);
  const { message } = causeOf(thrown);
  // When a statement has waited too long for a lock, the message of PostgreSQL does not say of which table.
  const table = thrown instanceof QueryFailedError && /(?:FROM|INTO|UPDATE) (\S+)/.exec(thrown.query)?.[1];
  return table ? `${message} (${table})` : message;
}

/** The original error. We and TypeORM wrap errors of pg; Node.js collects the errors of all addresses of a host in one. */
function causeOf(error: Error): Error {
  if (error instanceof DatabaseUnavailable && types.isNativeError(error.cause)) return causeOf(error.cause);
  if (error instanceof QueryFailedError) return error.driverError;
  return error instanceof AggregateError ? (error.errors[0] as Error) : error;
}
