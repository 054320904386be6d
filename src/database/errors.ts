import { types } from 'node:util';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The database cannot serve a correct request at the moment. It is thrown where that, and what it means, is known. */
export class DatabaseUnavailable extends Error {
  /** @param isUnknown of a change that was sent and not answered: it may have taken effect */
  constructor(
    readonly isUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(isUnknown ? 'The database did not answer' : 'The database is not available', options);
  }
}

/**
 * - `unknown`: the server, or a node of it, was lost, so that a change may have taken effect
 * - `unavailable`: there is no connection, so that nothing was sent
 * - `refused`: the server cannot do it now, and has rolled it back
 * - `unusable`: a table, a column, a right or a whole database is missing or has been changed, which somebody has to mend
 * - `constraint`: the values violate a constraint, which may mean an error of a feature
 */
export type Kind = 'unknown' | 'unavailable' | 'refused' | 'unusable' | 'constraint';

/** By SQLSTATE, or its class. The first that matches counts. */
const KINDS: readonly (readonly [states: RegExp, kind: Kind])[] = [
  [/^(?:08|40003|57P01|57P02|57P05)/, 'unknown'],
  [/^23(?:503|505|514|P01)$/, 'constraint'],
  [/^(?:22001|23502|25006|28|3D000|42501|42703|42P01)/, 'unusable'],
  [/^(?:0A000|25P03|26000|40|42P05|53|55P03|57|58|XX)/, 'refused'],
];

/** What an error means for a request. `undefined`: it is not the database's, or it is a fault of ours. */
export function meaningOf(thrown: unknown): Kind | undefined {
  if (thrown instanceof DatabaseUnavailable) {
    if (thrown.isUnknown) return 'unknown';
    return meaningOf(thrown.cause) === 'unusable' ? 'unusable' : 'unavailable'; // the server may refuse our role
  }
  const state = sqlStateOf(thrown);
  if (state !== undefined) return KINDS.find(([states]) => states.test(state))?.[1];
  return thrown instanceof QueryFailedError ? 'unknown' : undefined; // the statement was sent and not answered
}

/** The SQLSTATE, if the server has answered with one. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const error = thrown instanceof QueryFailedError ? thrown.driverError : thrown;
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The server did not run it: a plan from before DDL, a statement that this session does not know, a former primary. */
export function isStale(thrown: unknown): boolean {
  return /^(?:0A000|26000|42P05|25006)$/.test(sqlStateOf(thrown) ?? '');
}

export function constraintOf(thrown: unknown): string | undefined {
  const { constraint, message } = causeOf(thrown as Error) as pg.DatabaseError;
  // Citus names it in the message only, with the number of the shard. REINDEX CONCURRENTLY adds _ccnew.
  const name = constraint ?? /constraint "(.+?)(?:_\d+)?"/.exec(message)?.[1];
  return name?.replace(/_cc(?:new|old)\d*$/, '');
}

/** For logs and command lines. The messages of pg contain no password. */
export function reasonOf(thrown: unknown): string {
  if (!types.isNativeError(thrown)) return String(thrown);
  const { message } = causeOf(thrown);
  // PostgreSQL does not name the table whose lock a statement waited for until a time limit ended it.
  const table = thrown instanceof QueryFailedError && /(?:FROM|INTO|UPDATE) (\S+)/.exec(thrown.query)?.[1];
  return table ? `${message} (${table})` : message;
}

/** We and TypeORM wrap the errors of pg; Node.js collects those of all addresses of a host. */
function causeOf(error: Error): Error {
  if (error instanceof DatabaseUnavailable && types.isNativeError(error.cause)) return causeOf(error.cause);
  if (error instanceof QueryFailedError) return error.driverError;
  return error instanceof AggregateError ? (error.errors[0] as Error) : error;
}
