import { DATABASE_LIMITS } from '../limits.js';
import { CHECK_CONSTRAINTS, LIMITS, limits, ownQuery, ROLLBACK } from './own-statements.js';
import type { PendingQuery } from './statement.js';

const { lockMs, statementMs } = DATABASE_LIMITS;
/** Shorter than alone. Longer than most inserts take on a busy server. */
const LEAST_MS = 100;

const LASTS_MS = 60_000;

/**
 * Whether recorded batches isolate their inserts instead of combining them, which costs more. It begins when an insert
 * met a lock or was refused, and ends early when it makes a batch slow.
 */
export class Isolation {
  private until = -Infinity;

  get isOn(): boolean {
    return performance.now() < this.until;
  }

  begin(): void {
    this.until = performance.now() + LASTS_MS;
  }

  end(): void {
    this.until = -Infinity;
  }
}

/** Hides the savepoint before it. An insert that fails sets none, so that `BACK` undoes it alone. */
const KEEP = ownQuery('SAVEPOINT kept');
const BACK = ownQuery('ROLLBACK TO SAVEPOINT kept');

/** What waits for the commit, after an insert and its triggers. */
const CHECK = [CHECK_CONSTRAINTS, ownQuery('SET CONSTRAINTS ALL DEFERRED')];

/** Inserts of one transaction, of which each can fail alone. `isolatedEnd` has to follow. */
export function isolated(
  begin: readonly PendingQuery[],
  inserts: readonly PendingQuery[],
  hasLimits: boolean,
): PendingQuery[][] {
  const first = [...begin, ...(hasLimits ? [limitsOf(inserts.length)] : []), KEEP];
  return inserts.map((insert, i) => [...(i === 0 ? first : [BACK]), insert, ...CHECK, KEEP]);
}

export function isolatedEnd(hasLimits: boolean): PendingQuery[] {
  return hasLimits ? [BACK, LIMITS] : [BACK];
}

/** Each in a transaction of its own, which is rolled back. */
export function tried(
  begin: readonly PendingQuery[],
  inserts: readonly PendingQuery[],
  hasLimits: boolean,
): PendingQuery[][] {
  const limits = hasLimits ? [limitsOf(inserts.length)] : [];
  return inserts.flatMap((insert) => [[...begin, ...limits, insert, CHECK_CONSTRAINTS], [ROLLBACK]]);
}

/** All together they wait for locks as long as one may. */
function limitsOf(inserts: number): PendingQuery {
  const ms = Math.max(LEAST_MS, Math.ceil(statementMs / inserts));
  return limits(Math.ceil(lockMs / inserts), ms);
}
