import { DatabaseError } from 'pg';
import type { KeyLoad } from '../common/exchange.js';
import { doubt, isDoubtful, type Owner } from '../database/batching/owners.js';
import { meaningOfError } from '../database/database-errors.js';
import type { RunAgain } from '../database/transactions/recorded-change.js';

/**
 * In a batch with others, then in two more, without those whose records are known by now and mostly in isolation, then
 * alone.
 */
const SHARED_ATTEMPTS = 3;
const MOST_ATTEMPTS = 5;

/**
 * Most requests are no repetitions: a change is tried first, and its record violates the primary key if it has been made
 * before. As that makes the other requests of its batch run again, a key that repeats has its records looked up first.
 */
const LOOKED_UP_MS = 60_000;
/**
 * A change that waits for a lock, or loses a race with another replica, has its batch wait or run again. For this time,
 * changes of its key share batches with each other only. Short, as a locked table delays those of all keys.
 */
const DOUBTED_MS = 5_000;

declare module '../common/exchange.js' {
  interface KeyLoad extends Owner {
    /** When a record of the key was found, by `performance.now()`. */
    lastRepetition?: number;
  }
}

/** With whom a change shares a transaction, attempt after attempt. */
export class Attempts {
  private count = 0;
  private sharesWithOwn = false;
  /** In the previous attempt. */
  private fault: RunAgain['fault'] = 'none';
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
    if (isKnown) this.load.lastRepetition = performance.now();
    if (isKnown && this.isNew) doubt(this.load, DOUBTED_MS);
    this.isNew = !isKnown;
  }

  get isAlone(): boolean {
    return this.count > SHARED_ATTEMPTS;
  }

  /** Returns whether it shares a transaction with the changes of its key only. */
  decideIfWithOwn(): boolean {
    this.sharesWithOwn = this.fault !== 'none' || isDoubtful(this.load);
    return this.sharesWithOwn;
  }

  /** It was rolled back. Returns whether another attempt may succeed. */
  mayGoOn({ cause, fault }: RunAgain): boolean {
    this.fault = fault;
    const isOwn = fault === 'own' || (this.sharesWithOwn && fault === 'unknown' && isBusy(cause));
    if (isOwn) doubt(this.load, DOUBTED_MS);
    return this.count < MOST_ATTEMPTS && performance.now() < this.deadline;
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof DatabaseError && meaningOfError(cause) === 'busy';
}

function isRecent(at = -Infinity, ms: number): boolean {
  return performance.now() - at < ms;
}
