import type { DatabaseError } from 'pg';
import { DATABASE_LIMITS } from '../limits.js';
import { isLocked } from '../database-errors.js';
import { isSlow } from './isolation.js';
import { isCallerQuery, timeIn } from './own-statements.js';
import type { Owner } from './owners.js';
import type { TransactionListener } from './pipelined-batch.js';
import type { PendingQuery, Row } from './statement.js';

const TICK_MS = 5;
/** What a way takes at once, unless rows are large. */
const ROWS_SENT = 100;

export interface StatementTime {
  readonly owner: Owner | undefined;
  /** For locks, or until the way took its answer. */
  readonly mayHaveWaitedMs: number;
  /** Without what this process may have taken to read the answer. */
  readonly atLeastMs: number;
  readonly ms: number;
  readonly hasSucceeded: boolean;
  /** It took as long as it was allowed to. */
  readonly isCancelled: boolean;
}

interface Outcome {
  readonly hasSucceeded?: boolean;
  readonly error?: DatabaseError | undefined;
  readonly rows?: readonly Row[][];
}

/** What the server took for each statement of an isolated batch, by its clock, or as the answers of units come one by one. */
export class UnitTimes {
  readonly statements: StatementTime[] = [];
  /** What the way to the server takes: its first unit does not begin later. */
  distanceMs = 0;
  hasEnded = false;
  readonly sentAt = performance.now();
  /** Statements whose unit was answered. */
  private answeredStatements = 0;
  private answeredAt: number | undefined;
  /** By the server's clock. */
  private servedAt: number | undefined;
  /** Whether units ask for it, and so tell nothing of the way, except after one that failed. */
  private isTimed = false;
  /** All that were answered. */
  private rows = 0;
  /** The last turns of the event loop. What had arrived by then, it read. */
  private turn = 0;
  private turnBefore = 0;

  /** Of statements that may wait for locks for so long. */
  constructor(private readonly lockWaitOf: (position: number) => number) {}

  /** Sees the answers on their way to a listener. */
  of(listener: TransactionListener): TransactionListener {
    return {
      committed: (unit, rows) => {
        this.answered(unit, undefined, rows);
        listener.committed(unit, rows);
      },
      rolledBack: (unit, error, failed) => {
        this.answered(unit, error);
        listener.rolledBack(unit, error, failed);
      },
    };
  }

  answered(
    unit: readonly PendingQuery[] | undefined,
    error?: DatabaseError,
    rows: readonly Row[][] = [],
  ): void {
    this.note(unit, { hasSucceeded: error === undefined, error, rows });
  }

  /** The first of these was not answered in time. */
  lost([unit]: readonly (readonly PendingQuery[])[]): void {
    this.note(unit);
  }

  private note(
    unit: readonly PendingQuery[] | undefined,
    { hasSucceeded = false, error, rows = [] }: Outcome = {},
  ): void {
    if (this.hasEnded) return;
    const { answeredAt, servedAt } = this;
    const now = performance.now();
    this.answeredAt = now;
    this.servedAt = timeIn(rows);
    this.rows += rows.flat().length;
    if (answeredAt === undefined) {
      this.distanceMs = now - this.sentAt;
      this.isTimed = this.servedAt !== undefined;
      this.tick(now + DATABASE_LIMITS.answerMs);
      return;
    }
    const statement = unit?.find(isCallerQuery);
    if (!statement) return;
    const position = this.answeredStatements++;
    const waitedForLock = error !== undefined && isLocked(error); // the fault of another
    const isCancelled = error !== undefined && isSlow(error);
    const ofServer = difference(servedAt, this.servedAt);
    const isLost = !hasSucceeded && !error;
    const isUnknown = this.isTimed && ofServer === undefined && !isCancelled && !isLost;
    if (waitedForLock || isUnknown) return;
    this.statements.push({
      owner: statement.owner,
      mayHaveWaitedMs: this.lockWaitOf(position) + this.sendWaitMs,
      ms: ofServer ?? now - answeredAt,
      atLeastMs: ofServer ?? this.turnBefore - answeredAt,
      hasSucceeded,
      isCancelled,
    });
  }

  /** The server may have waited until the way took more. */
  private get sendWaitMs(): number {
    return this.rows > ROWS_SENT ? this.distanceMs : 0;
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

/** A clock may be set back. */
function difference(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}
