import { QuickestOfLate } from '../../common/quickest-of-late.js';
import { DATABASE_LIMITS } from '../limits.js';
import { isKnownAsSlow, type Owner, type Owners } from './owners.js';
import type { StatementTime, UnitTimes } from './unit-times.js';

/** The first ones. Isolated, they have 100 ms each: so many together have as much as one alone. */
export const PROBED = 4;
/** If they are known to take less time than this usually, more of them have 50 ms each. */
const QUICK_MS = 5;
const PROBED_OF_QUICK = 8;
/** While they take little time, each probe has twice as many as the one before. */
const MOST_PROBED = DATABASE_LIMITS.largeBatch;
/** Together: well below what is not answered in time. */
const MOST_MS = 250;
/** Of a slow owner: while further ones take long, the first would keep its locks from others. */
const PROBED_OF_ONE = 1;
/** A batch that takes so much longer than the quickest of late may have slow statements. */
const SLOW_BATCH_MS = 40;
/** Short: the way to the server may have become longer. */
const QUICKEST_OF_MS = 10_000;
/** Without any that were quick, the database may be slow for all. */
const REMEMBERED_MS = 3_000;
/** A statement is slow that takes so much longer than twice the usual time. */
const SLOW_MS = 15;
/** Less than the part of a statement that isolated reads have at least. */
const CLEARLY_SLOW_MS = 45;
/** If a batch was slow, but none of so many statements, as while the disk is, no further ones are looked at for a while. */
const TO_LOOK_AT = 16;
const REST_MS = 1_000;
/** With little traffic, it takes too long to look at so many. */
const LOOK_MS = 10_000;
/** After a slow statement, all are: those who have few slow ones would hardly be found. */
const ALL_MS = 5_000;

/**
 * Finds whose statements take the database long, as with a slow trigger for some rows: after a slow batch, some are
 * isolated, which shows what each takes. One is slow in comparison with the others, as each may have a cost; without
 * others, in comparison with the quickest batch.
 */
export class Probes {
  private toLookAt = 0;
  private lookUntil = -Infinity;
  private allUntil = -Infinity;
  /** As a measured batch last showed, apart from the way. */
  private lastUsualMs = Infinity;
  private size: number;
  private restsUntil = -Infinity;
  private readonly quickest = new QuickestOfLate(QUICKEST_OF_MS);
  /** When the database last was quick for someone. */
  private quickAt = -Infinity;

  constructor(
    private readonly owners: Owners,
    /** Of the statements that those of a party share no batches with. Each batch of a party is measured. */
    private readonly others?: Probes,
    /** Of reads: those of all owners that are slow share batches, as they keep no locks. */
    private readonly areReads = false,
  ) {
    this.size = this.least;
  }

  private get least(): number {
    if (this.areOfParty) return PROBED_OF_ONE;
    return this.lastUsualMs < QUICK_MS ? PROBED_OF_QUICK : PROBED;
  }

  get areOfParty(): boolean {
    return this.others !== undefined;
  }

  /** How many statements the next batch may have, if it is one. */
  get most(): number | undefined {
    if (this.areOfParty) return this.areReads ? this.size : PROBED_OF_ONE;
    return this.isLooking || performance.now() < this.allUntil ? this.size : undefined;
  }

  private get isLooking(): boolean {
    return this.toLookAt > 0 && performance.now() < this.lookUntil;
  }

  /** Combined statements took this time. */
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

  /** Measured reads are sent apart, and have longer answers, which a way that loses some would lose more often. */
  lostAnswer(isLostOnTheWay: boolean): void {
    this.size = this.least;
    if (!isLostOnTheWay) {
      this.begin();
      return;
    }
    this.toLookAt = 0;
    this.allUntil = -Infinity;
    this.restsUntil = performance.now() + LOOK_MS;
  }

  private begin(): void {
    if (!this.areReads || this.most === undefined) this.size = this.least;
    this.toLookAt = TO_LOOK_AT;
    this.lookUntil = performance.now() + LOOK_MS;
  }

  compare(times: UnitTimes): void {
    if (times.hasEnded) return;
    times.end();
    const isProbe = this.most !== undefined;
    const { statements } = times;
    const limits = this.limitsOf(times);
    const limitOf = ({ isCancelled }: StatementTime) => (isCancelled ? limits.ofCancelledMs : limits.mostMs);
    const took = statements.filter((one) => one.atLeastMs > limitOf(one) && this.mayBlame(one.owner));
    // Those that are known as slow already need no proof that they did not wait for locks.
    const slow = took.filter((one) => {
      const isKnown = !this.areReads && isKnownAsSlow(one.owner);
      return isKnown || one.atLeastMs - one.mayHaveWaitedMs > limitOf(one);
    });
    const quickOnes = statements.filter(({ hasSucceeded, ms }) => hasSucceeded && ms < SLOW_MS);
    const areOthersQuick = quickOnes.length >= statements.length / 4 && areOfSeveral([...slow, ...quickOnes]);
    // Meanwhile, on another connection.
    const isServerQuick = this.others !== undefined && this.others.quickAt > times.sentAt;
    for (const one of slow) this.blame(one, areOthersQuick || isServerQuick);
    const slowOwners = new Set(slow.map(({ owner }) => owner));
    const quick = statements.filter(({ owner }) => !slowOwners.has(owner));
    if (this.areOfParty) this.forgive(quick, limits.mostMs);
    else if (quickOnes.length > 0) this.quickAt = performance.now();
    if (isProbe || slow.length > 0) this.lookedAt(statements, slow.length > 0);
    else if (took.length > 0 && performance.now() >= this.restsUntil) this.begin();
  }

  /** Reads without an owner, such as look-ups of keys, would be measured for ever. */
  private mayBlame(owner: Owner | undefined): boolean {
    return !this.areReads || owner !== undefined || !this.owners.areWanted;
  }

  /** A read that took long may have done so by chance, unless it took very long while others were quick. */
  private blame(one: StatementTime, othersAreQuick: boolean): void {
    const { owner, atLeastMs, mayHaveWaitedMs, isCancelled } = one;
    if (!this.areReads || !owner) {
      this.owners.tookLong(owner);
      return;
    }
    const isVerySlow = isCancelled || atLeastMs - mayHaveWaitedMs > CLEARLY_SLOW_MS;
    const isClear = isVerySlow && othersAreQuick;
    if (isClear || this.owners.suspect(owner)) this.owners.tookLong(owner, isClear);
  }

  /** Infinite if it is not known what is usual: then nobody is to blame, but what was cancelled of a party is slow. */
  private limitsOf(times: UnitTimes): { mostMs: number; ofCancelledMs: number } {
    const ofBatchMs = this.usualMs(times);
    this.lastUsualMs = ofBatchMs;
    const { statements } = times;
    // Slow reads are no measure of each other.
    const areComparable = areOfSeveral(statements) && !(this.areReads && this.areOfParty);
    const usualMs = areComparable ? (quickestOf(statements) ?? ofBatchMs) : ofBatchMs;
    const limitOf = (ms: number): number => SLOW_MS + 2 * ms;
    if (this.areOfParty && usualMs === Infinity) return { mostMs: Infinity, ofCancelledMs: 0 };
    return { mostMs: limitOf(usualMs), ofCancelledMs: limitOf(Math.min(usualMs, ofBatchMs)) };
  }

  private lookedAt(statements: readonly StatementTime[], someAreSlow: boolean): void {
    this.toLookAt -= statements.length;
    const ms = statements.reduce((sum, statement) => sum + statement.ms, 0);
    const mayGrow = this.areOfParty ? statements.length >= this.size : !someAreSlow;
    // Slow reads are few beside those of all, which must not wait for them; they keep no locks.
    const mustShrink = ms > MOST_MS || (someAreSlow && !this.areReads);
    if (mustShrink) this.size = this.least;
    else if (ms <= MOST_MS / 2 && mayGrow) this.size = Math.min(2 * this.size, MOST_PROBED);
    if (someAreSlow) this.allUntil = performance.now() + ALL_MS;
    else if (this.toLookAt <= 0) this.restsUntil = performance.now() + REST_MS;
  }

  private forgive(statements: readonly StatementTime[], mostMs: number): void {
    const quickMs = mostMs === Infinity ? SLOW_MS : mostMs;
    for (const { owner, hasSucceeded, ms } of statements)
      if (owner && hasSucceeded && ms <= quickMs) this.owners.wasQuick(owner);
  }

  /** What a statement took at most in the quickest batch. */
  private usualMs(times: UnitTimes): number {
    if (this.others) return this.others.usualMs(times);
    const isForgotten = performance.now() - this.quickAt > REMEMBERED_MS;
    return isForgotten ? Infinity : Math.max(0, this.quickest.ms - times.distanceMs);
  }
}

function areOfSeveral(statements: readonly StatementTime[]): boolean {
  return statements.some(({ owner }) => owner !== statements[0]?.owner);
}

/** Of those that succeeded, as a refusal may come sooner. */
function quickestOf(statements: readonly StatementTime[]): number | undefined {
  const times = statements.filter(({ hasSucceeded }) => hasSucceeded).map(({ ms }) => ms);
  return times.length > 0 ? Math.min(...times) : undefined;
}
