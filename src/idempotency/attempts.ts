import { DatabaseError } from 'pg';
import { ApiError } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { meaningOfError } from '../database/database-errors.js';
import type { RunAgain } from '../database/transactions/recorded-change.js';

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
    /** When the database refused a change of the key: alone, or as the one of its batch that failed. */
    lastRefusal?: number;
    /** When a change of the key had its batch run again: it waited for a lock, or another replica had made it. */
    lastDisturbance?: number;
  }
}

/** With whom a change shares a transaction, attempt after attempt. */
export class Attempts {
  private count = 0;
  private isDoubtful = false;
  /** The previous attempt failed because of another request. */
  private isInnocent = false;
  /** By the database, for its own sake, unless it turns out to have been made before. */
  private isRefused = false;
  /** It was not made before. If it turns out to be, another replica made it meanwhile. */
  private isNew = false;

  constructor(
    private readonly load: KeyLoad,
    private readonly deadline: number,
  ) {}

  /** Begins the next one. Returns whether to look up first if the change was made before, here or by another replica. */
  begin(): boolean {
    return ++this.count > 1 || isRecent(this.load.lastRepetition, LOOKED_UP_MS);
  }

  lookedUp(isKnown: boolean): void {
    const now = performance.now();
    if (isKnown) this.load.lastRepetition = now;
    else if (this.isRefused) this.load.lastRefusal = now;
    if (isKnown && this.isNew) this.load.lastDisturbance = now;
    this.isNew = !isKnown;
  }

  get isAlone(): boolean {
    return this.count > SHARED_ATTEMPTS;
  }

  /** With the changes of its key, or with all. */
  sharesWith(): object | undefined {
    const { lastRefusal, lastDisturbance } = this.load;
    this.isDoubtful =
      (this.count > 1 && !this.isInnocent) ||
      isRecent(lastRefusal, DOUBTED_MS) ||
      isRecent(lastDisturbance, DISTURBED_MS);
    return this.isDoubtful ? this.load : undefined;
  }

  /** It was rolled back. Returns whether another attempt may succeed. */
  mayGoOn({ cause, fault }: RunAgain): boolean {
    this.isInnocent = fault === 'of another';
    const isOwn = fault === 'own' || (this.isDoubtful && !this.isInnocent);
    if (isOwn && isBusy(cause)) this.load.lastDisturbance = performance.now();
    this.isRefused = fault === 'own' && !isBusy(cause);
    return this.count < MOST_ATTEMPTS && performance.now() < this.deadline;
  }

  /** It was refused, and not for a moment. */
  refused(error: unknown): void {
    if (this.isAlone && !isOurs(error)) this.load.lastRefusal = performance.now();
  }
}

/** Not by the database, for want of a turn: others' refusals had the key wait for one. */
function isOurs(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'service_unavailable';
}

function isBusy(cause: unknown): boolean {
  return cause instanceof DatabaseError && meaningOfError(cause) === 'busy';
}

function isRecent(at = -Infinity, ms: number): boolean {
  return performance.now() - at < ms;
}
