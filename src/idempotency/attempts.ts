import { DatabaseError } from 'pg';
import type { KeyLoad } from '../common/exchange.js';
import { doubt, lostRace, type Owner, partyOf, waited } from '../database/batching/owners.js';
import { isLocked, meaningOfError } from '../database/database-errors.js';
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

declare module '../common/exchange.js' {
  interface KeyLoad extends Owner {
    /** When a record of the key was found, by `performance.now()`. */
    lastRepetition?: number;
  }
}

/** With whom a change shares a transaction, attempt after attempt. */
export class Attempts {
  private count = 0;
  private party: Owner | undefined;
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
    if (isKnown && this.isNew) lostRace(this.load);
    this.isNew = !isKnown;
  }

  get isAlone(): boolean {
    return this.count > SHARED_ATTEMPTS;
  }

  /** Returns those whose changes it shares a transaction with, if not all: those of its key, or all that wait for locks. */
  decideParty(): Owner | undefined {
    this.party = this.fault === 'unknown' ? this.load : partyOf(this.load);
    return this.party;
  }

  /** It was rolled back. Returns whether another attempt may succeed. */
  mayGoOn({ cause, fault }: RunAgain): boolean {
    this.fault = fault;
    const isOwn = fault === 'own' || (this.party === this.load && fault === 'unknown' && isBusy(cause));
    const hasWaited = fault === 'own' && cause instanceof DatabaseError && isLocked(cause);
    if (isOwn) (hasWaited ? waited : doubt)(this.load);
    return this.count < MOST_ATTEMPTS && performance.now() < this.deadline;
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof DatabaseError && meaningOfError(cause) === 'busy';
}

function isRecent(at = -Infinity, ms: number): boolean {
  return performance.now() - at < ms;
}
