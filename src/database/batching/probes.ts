import { QuickestOfLate } from '../../common/quickest-of-late.js';
import { DATABASE_LIMITS } from '../limits.js';
import { isKnownAsSlow, type Owners } from './owners.js';
import type { InsertTime, UnitTimes } from './unit-times.js';

/** The first ones. Isolated inserts have 100 ms each at least: so many together have as much as a statement. */
export const PROBED = 4;
/** While they take little time, each probe has twice as many as the one before. */
const MOST_PROBED = DATABASE_LIMITS.largeBatch;
/** Together: well below what is not answered in time. */
const MOST_MS = 250;
/** Of a slow owner: while further ones take long, the first would keep its locks from others. */
const PROBED_OF_ONE = 1;
/** A batch that takes so much longer than the quickest of late may have slow inserts. */
const SLOW_BATCH_MS = 40;
/** Short: the way to the server may have become longer. */
const QUICKEST_OF_MS = 10_000;
/** Without any that were quick, the database may be slow for all. */
const REMEMBERED_MS = 3_000;
/** An insert is slow that takes so much longer than twice the usual time. */
const SLOW_MS = 15;
/** If a batch was slow, but none of so many inserts, as while the disk is, no further ones are looked at for a while. */
const TO_LOOK_AT = 16;
const REST_MS = 1_000;
/** With little traffic, it takes too long to look at so many. */
const LOOK_MS = 10_000;
/** After a slow insert, all are: those who have few slow ones would hardly be found. */
const ALL_MS = 5_000;

/**
 * Finds whose inserts take the database long, as a slow trigger for some rows: after a slow batch, some inserts are
 * isolated, which shows what each takes. One is slow in comparison with the others, as each may have a cost; without
 * others, in comparison with the quickest batch.
 */
export class Probes {
  private toLookAt = 0;
  private lookUntil = -Infinity;
  private allUntil = -Infinity;
  private size = PROBED;
  private restsUntil = -Infinity;
  private readonly quickest = new QuickestOfLate(QUICKEST_OF_MS);
  /** When the database last was quick for someone. */
  private quickAt = -Infinity;

  constructor(
    private readonly owners: Owners,
    /** Of the inserts that those of a party do not share batches with. Each batch of a party is measured. */
    private readonly others?: Probes,
  ) {}

  get areOfParty(): boolean {
    return this.others !== undefined;
  }

  /** How many inserts the next batch may have, if it is one. */
  get most(): number | undefined {
    if (this.areOfParty) return PROBED_OF_ONE;
    return this.isLooking || performance.now() < this.allUntil ? this.size : undefined;
  }

  private get isLooking(): boolean {
    return this.toLookAt > 0 && performance.now() < this.lookUntil;
  }

  /** Combined inserts took this time. */
  combined(ms: number): void {
    const now = performance.now();
    this.quickest.add(ms);
    const isSlow = ms - this.quickest.ms > SLOW_BATCH_MS;
    if (!isSlow) this.quickAt = now;
    else if (now >= this.restsUntil && !this.isLooking) this.begin();
  }

  /** They were cancelled. Unlike slow commits, it is their fault if others are not. */
  tookTooLong(): void {
    this.owners.want();
    this.begin();
  }

  private begin(): void {
    this.toLookAt = TO_LOOK_AT;
    this.lookUntil = performance.now() + LOOK_MS;
    this.size = PROBED;
  }

  compare(times: UnitTimes): void {
    if (times.hasEnded) return;
    times.end();
    const isProbe = this.most !== undefined;
    const { inserts } = times;
    const limits = this.limitsOf(times);
    const limitOf = ({ isCancelled }: InsertTime) => (isCancelled ? limits.ofCancelledMs : limits.mostMs);
    const took = inserts.filter((insert) => insert.atLeastMs > limitOf(insert));
    // Those that are known as slow already need no proof.
    const slow = took.filter(
      (insert) => isKnownAsSlow(insert.owner) || insert.atLeastMs - insert.mayHaveWaitedMs > limitOf(insert),
    );
    for (const { owner } of slow) this.owners.tookLong(owner);
    if (this.areOfParty) this.forgive(slow.length === 0 ? inserts : [], limits.mostMs);
    else if (inserts.some(({ isStored, ms }) => isStored && ms < SLOW_MS)) this.quickAt = performance.now();
    if (isProbe || slow.length > 0) this.lookedAt(inserts, slow.length > 0);
    else if (took.length > 0 && performance.now() >= this.restsUntil) this.begin();
  }

  /** Infinite if it is not known what is usual: then nobody is to blame, but what was cancelled of a party is slow. */
  private limitsOf(times: UnitTimes): { mostMs: number; ofCancelledMs: number } {
    const ofBatchMs = this.usualMs(times);
    const { inserts } = times;
    const usualMs = areOfSeveral(inserts) ? (quickestOf(inserts) ?? ofBatchMs) : ofBatchMs;
    const limitOf = (ms: number): number => SLOW_MS + 2 * ms;
    if (this.areOfParty && usualMs === Infinity) return { mostMs: Infinity, ofCancelledMs: 0 };
    return { mostMs: limitOf(usualMs), ofCancelledMs: limitOf(Math.min(usualMs, ofBatchMs)) };
  }

  private lookedAt(inserts: readonly InsertTime[], someAreSlow: boolean): void {
    this.toLookAt -= inserts.length;
    const ms = inserts.reduce((sum, insert) => sum + insert.ms, 0);
    if (someAreSlow || ms > MOST_MS) this.size = PROBED;
    else if (ms <= MOST_MS / 2) this.size = Math.min(2 * this.size, MOST_PROBED);
    if (someAreSlow) this.allUntil = performance.now() + ALL_MS;
    else if (this.toLookAt <= 0) this.restsUntil = performance.now() + REST_MS;
  }

  private forgive(inserts: readonly InsertTime[], mostMs: number): void {
    const quickMs = mostMs === Infinity ? SLOW_MS : mostMs;
    for (const { owner, isStored, ms } of inserts)
      if (owner && isStored && ms <= quickMs) this.owners.wasQuick(owner);
  }

  /** What an insert took at most in the quickest batch. */
  private usualMs(times: UnitTimes): number {
    if (this.others) return this.others.usualMs(times);
    const isForgotten = performance.now() - this.quickAt > REMEMBERED_MS;
    return isForgotten ? Infinity : Math.max(0, this.quickest.ms - times.distanceMs);
  }
}

function areOfSeveral(inserts: readonly InsertTime[]): boolean {
  return inserts.some(({ owner }) => owner !== inserts[0]?.owner);
}

/** Of those that were stored, as a refusal may come sooner. */
function quickestOf(inserts: readonly InsertTime[]): number | undefined {
  const stored = inserts.filter(({ isStored }) => isStored).map(({ ms }) => ms);
  return stored.length > 0 ? Math.min(...stored) : undefined;
}
