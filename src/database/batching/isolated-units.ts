import { DATABASE_LIMITS } from '../limits.js';
import { CHECK_CONSTRAINTS, LIMITS, limits, ownQuery, ROLLBACK } from './own-statements.js';
import type { PendingQuery } from './statement.js';

const { lockMs, statementMs } = DATABASE_LIMITS;
/** Shorter than alone. Longer than most inserts take on a busy server. */
const LEAST_MS = 100;

/** Hides the savepoint before it. An insert that fails sets none, so that `BACK` undoes it alone. */
const KEEP = ownQuery('SAVEPOINT kept');
const BACK = ownQuery('ROLLBACK TO SAVEPOINT kept');

/** What waits for the commit, after an insert and its triggers. */
const CHECK = [CHECK_CONSTRAINTS, ownQuery('SET CONSTRAINTS ALL DEFERRED')];

/**
 * Inserts of one transaction, of which each can fail alone. `isolatedEnd` has to follow. PgBouncer 1.18 drops a connection
 * that pipelines transactions, but not one that pipelines these units. The first unit tells when the server begins.
 */
export function isolated(begin: readonly PendingQuery[], inserts: readonly PendingQuery[]): PendingQuery[][] {
  return [[...begin, KEEP], ...inserts.map((insert) => [BACK, insert, ...CHECK, KEEP])];
}

export function isolatedEnd(hasLimits: boolean): PendingQuery[] {
  return hasLimits ? [BACK, LIMITS] : [BACK];
}

/** Each without the others, in a transaction that is rolled back. */
export function tried(begin: readonly PendingQuery[], queries: readonly PendingQuery[]): PendingQuery[][] {
  const units = queries.map((query, i) => [
    ...(i === 0 ? [...begin, KEEP] : [BACK]),
    query,
    CHECK_CONSTRAINTS,
  ]);
  return [...units, [ROLLBACK]];
}

/** All together they wait for locks as long as one may. */
export function sharedLimits(inserts: number, ofLocks: number = lockMs): PendingQuery {
  const ms = Math.max(LEAST_MS, Math.ceil(statementMs / inserts));
  return limits(Math.ceil(ofLocks / inserts), ms);
}
