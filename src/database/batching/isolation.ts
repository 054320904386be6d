import { DATABASE_LIMITS } from '../limits.js';
import { CHECK_CONSTRAINTS, limitLocks, ownQuery } from './batch-plan.js';
import type { PendingQuery } from './statement.js';

const { lockMs, statementMs } = DATABASE_LIMITS;
/** Longer than an insert takes on a busy server. */
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

/**
 * Inserts of one transaction, of which each can fail alone, in one round trip. All together they wait for locks as long as
 * one may.
 */
export function isolated(
  begin: readonly PendingQuery[],
  inserts: readonly PendingQuery[],
  limitsLocks: boolean,
): PendingQuery[][] {
  const limits = limitsLocks && inserts.length > 1 ? [limitsOf(inserts.length)] : [];
  return [
    [...begin, ...limits, CHECK_CONSTRAINTS, KEEP],
    ...inserts.flatMap((insert) => [[insert, KEEP], [BACK]]),
  ];
}

function limitsOf(inserts: number): PendingQuery {
  const ms = Math.max(LEAST_MS, Math.ceil(statementMs / inserts));
  return ownQuery(
    `${limitLocks(Math.ceil(lockMs / inserts))}, set_config('statement_timeout', '${ms}', true)`,
  );
}
