import { DatabaseError } from 'pg';
import { ApiError } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { meaningOfError } from '../database/database-errors.js';

/** In a batch with others, then, without those whose records are known by now, in two more, then alone. */
const SHARED_ATTEMPTS = 3;
const MOST_ATTEMPTS = 5;

/**
 * Most requests are no repetitions: a change is tried first, and its record violates the primary key if it has been made
 * before. As that makes the other requests of its batch run again, a key that repeats has its records looked up first.
 */
const LOOKED_UP_MS = 60_000;
/** A change that is refused makes its batches fail. For this time, changes of its key share batches with each other only. */
const DOUBTED_MS = 60_000;
/** The same after a lock, or a race with another replica. Shorter, as a locked table delays those of all keys. */
const DISTURBED_MS = 5_000;

declare module '../common/exchange.js' {
  interface KeyLoad {
    /** When a record of the key was found, by `performance.now()`. */
    lastRepetition?: number;
    /** When the database refused a change of the key even alone. */
    lastRefusal?: number;
    /** When a change of the key had its batch run again: it waited for a lock, or another replica had made it. */
    lastDisturbance?: number;
  }
}

/** With whom a change shares a transaction, attempt after attempt. */
export class Attempts {
  private count = 0;
  private isDoubtful = false;
  /** Beside changes of its own key, of which it may be another. */
  private hasMetLock = false;

  constructor(
    private readonly load: KeyLoad,
    private readonly deadline: number,
  ) {}

  begin(): void {
    const { lastRefusal, lastDisturbance } = this.load;
    this.count++;
    this.isDoubtful =
      this.count > 1 || isRecent(lastRefusal, DOUBTED_MS) || isRecent(lastDisturbance, DISTURBED_MS);
  }

  /** A batch may have failed because the same request was committed before, here or by another replica. */
  get looksUp(): boolean {
    return this.count > 1 || isRecent(this.load.lastRepetition, LOOKED_UP_MS);
  }

  /** Not after a lock, for which it would wait with a connection of its own. */
  get isAlone(): boolean {
    return this.count > SHARED_ATTEMPTS && !this.hasMetLock;
  }

  /** With the changes of its key, with none, or with all. */
  get sharesWith(): object | undefined {
    if (this.hasMetLock) return {};
    return this.isDoubtful ? this.load : undefined;
  }

  found(): void {
    this.load.lastRepetition = performance.now();
    if (this.count > 1) this.load.lastDisturbance = performance.now();
  }

  /** It was rolled back. Returns whether another attempt may succeed. */
  mayGoOn(cause: unknown): boolean {
    const isLocked = this.isDoubtful && isBusy(cause);
    if (isLocked) this.load.lastDisturbance = performance.now();
    if (isLocked && this.hasMetLock) return false;
    this.hasMetLock = isLocked;
    return this.count < MOST_ATTEMPTS && performance.now() < this.deadline;
  }

  refused(error: unknown): void {
    // Not by us, for want of a turn: others' refusals had the key wait for one.
    const isOurs = error instanceof ApiError && error.code === 'service_unavailable';
    if (this.isAlone && !isOurs) this.load.lastRefusal = performance.now();
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof DatabaseError && meaningOfError(cause) === 'busy';
}

function isRecent(at = -Infinity, ms: number): boolean {
  return performance.now() - at < ms;
}
