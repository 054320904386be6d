import { DATABASE_LIMITS } from '../limits.js';
import { ASK_TIME, CHECK_CONSTRAINTS, LIMITS, limits, ownQuery, ROLLBACK } from './own-statements.js';
import { WAITING } from './owners.js';
import type { PendingQuery } from './statement.js';

const { lockMs, statementMs } = DATABASE_LIMITS;
/** Shorter than alone. Longer than most statements take on a busy server. */
const LEAST_MS = 50;
/** The same, beside waits for locks. */
const LEAST_OF_WAITING_MS = 100;

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
  return [
    [...begin, KEEP],
    ...inserts.map((insert, i) => [
      BACK,
      ...limitsOfWaiting(insert, i, inserts.length),
      insert,
      ...CHECK,
      KEEP,
    ]),
  ];
}

function limitsOfWaiting({ party }: PendingQuery, position: number, inserts: number): PendingQuery[] {
  if (party !== WAITING) return [];
  const ms = waitingMs(position, inserts);
  return [limits(ms, longestWait(ms) + LEAST_OF_WAITING_MS)];
}

/** Half of the time, then half of what is left: the first insert may take the lock that all wait for. */
function waitingMs(position: number, inserts: number): number {
  return Math.max(1, Math.floor(lockMs / 2 ** Math.min(position + 1, inserts - 1)));
}

/** For the lock of a row, one may have to wait twice. */
function longestWait(ms: number): number {
  return Math.min(2 * ms, statementMs - LEAST_OF_WAITING_MS);
}

/** How long the insert at a position may wait. */
export function lockWaitOf(inserts: readonly PendingQuery[], ofLocks?: number): (position: number) => number {
  const { length } = inserts;
  const isWaiting = inserts[0]?.party === WAITING;
  return (position) => longestWait(isWaiting ? waitingMs(position, length) : sharedMs(length, ofLocks));
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

/** Each may fail alone, and tells what the server took for it, apart from the way. */
export function measuredReads(
  begin: readonly PendingQuery[],
  reads: readonly PendingQuery[],
): PendingQuery[][] {
  return [
    [...begin, KEEP, ASK_TIME],
    ...reads.map((read) => [BACK, read, CHECK_CONSTRAINTS, ASK_TIME]),
    [ROLLBACK],
  ];
}

/** All together they wait for locks as long as one may. */
export function sharedLimits(statements: number, ofLocks?: number): PendingQuery {
  return limits(sharedMs(statements, ofLocks), Math.max(LEAST_MS, Math.ceil(statementMs / statements)));
}

function sharedMs(inserts: number, ofLocks: number = lockMs): number {
  return Math.ceil(ofLocks / inserts);
}
