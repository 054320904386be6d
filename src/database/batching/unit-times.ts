import type { DatabaseError } from 'pg';
import { DATABASE_LIMITS } from '../limits.js';
import { isLocked } from '../database-errors.js';
import { isSlow } from './isolation.js';
import { isCallerQuery } from './own-statements.js';
import type { Owner } from './owners.js';
import type { TransactionListener } from './pipelined-batch.js';
import type { PendingQuery } from './statement.js';

const TICK_MS = 5;

export interface InsertTime {
  readonly owner: Owner | undefined;
  /** For locks. */
  readonly mayHaveWaitedMs: number;
  /** Without what this process may have taken to read the answer. */
  readonly atLeastMs: number;
  readonly ms: number;
  readonly isStored: boolean;
  /** It took as long as it was allowed to. */
  readonly isCancelled: boolean;
}

/** What the server took for each insert of an isolated batch: the answers of its units come one by one. */
export class UnitTimes {
  readonly inserts: InsertTime[] = [];
  /** What the way to the server takes: its first unit does not begin later. */
  distanceMs = 0;
  hasEnded = false;
  /** Inserts whose unit was answered. */
  private answeredInserts = 0;
  private readonly sentAt = performance.now();
  private answeredAt: number | undefined;
  /** The last turns of the event loop. What had arrived by then, it read. */
  private turn = 0;
  private turnBefore = 0;

  /** Of inserts that may wait for locks for so long. */
  constructor(private readonly lockWaitOf: (position: number) => number) {}

  /** Sees the answers on their way to a listener. */
  of(listener: TransactionListener): TransactionListener {
    return {
      committed: (unit, rows) => {
        this.answered(unit);
        listener.committed(unit, rows);
      },
      rolledBack: (unit, error, failed) => {
        this.answered(unit, error);
        listener.rolledBack(unit, error, failed);
      },
    };
  }

  answered(unit: readonly PendingQuery[] | undefined, error?: DatabaseError): void {
    this.note(unit, error === undefined, error);
  }

  /** The first of these was not answered in time. */
  lost([unit]: readonly (readonly PendingQuery[])[]): void {
    this.note(unit, false);
  }

  private note(unit: readonly PendingQuery[] | undefined, isStored: boolean, error?: DatabaseError): void {
    if (this.hasEnded) return;
    const { answeredAt } = this;
    const now = performance.now();
    this.answeredAt = now;
    if (answeredAt === undefined) {
      this.distanceMs = now - this.sentAt;
      this.tick(now + DATABASE_LIMITS.answerMs);
      return;
    }
    const insert = unit?.find(isCallerQuery);
    if (!insert) return;
    const position = this.answeredInserts++;
    const waitedForLock = error !== undefined && isLocked(error); // the fault of another
    if (!waitedForLock)
      this.inserts.push({
        owner: insert.owner,
        mayHaveWaitedMs: this.lockWaitOf(position),
        ms: now - answeredAt,
        atLeastMs: this.turnBefore - answeredAt,
        isStored,
        isCancelled: error !== undefined && isSlow(error),
      });
  }

  end(): void {
    this.hasEnded = true;
  }

  private tick(until: number): void {
    this.turnBefore = this.turn;
    this.turn = performance.now();
    if (!this.hasEnded && this.turn < until) setTimeout(() => this.tick(until), TICK_MS).unref();
  }
}
