/** Without any slow statement of theirs: longer than those of a few dozen owners take that follow one another. */
const SLOW_MS = 30_000;
/** Short, as a locked table may have been the cause. */
const WAITING_MS = 10_000;
const DOUBTED_MS = 5_000;
/** For those that lost a race with another replica, which has their batches run again: at first, and after relapses. */
const RACED_MS = [5_000, 60_000, 300_000];
/** Two slow reads within this time are no chance. */
const SUSPECTED_MS = 5_000;
/** A further slow statement, or race, within this time is a relapse. */
const REMEMBERED_MS = 300_000;
/** All may have been slow for a moment. A key whose rows are seldom slow must not be forgiven again and again. */
const PROOFS = [8, 64];
/** Those who mix slow reads with quick ones would come back at once. */
const PROOFS_OF_READS = [16, 64];
/** For each further slow read. */
const PROOFS_OF_ONE = 4;

/** Whose a statement is: the API key of its request. Times are by `performance.now()`. */
export interface Owner {
  /** Until then its inserts may share batches with each other only. */
  doubtedUntil?: number;
  /** The same, for lost races. */
  races?: Expectation;
  /** Until then they share batches with those of all that wait for locks. */
  waitsUntil?: number;
  slowness?: Slowness;
  suspectedAt?: number;
  /** The same key as a reader, whose reads are judged apart from its inserts. */
  reader?: Owner;
  /** Of a reader. */
  readonly key?: Owner;
}

export function readerOf(owner: Owner): Owner {
  return (owner.reader ??= { key: owner });
}

interface Expectation {
  readonly at: number;
  until: number;
  readonly relapses: number;
}

interface Slowness extends Expectation {
  /** Statements that have to be quick until it is forgiven. */
  toProve: number;
}

/**
 * Those whose inserts wait for locks, such as that of a row in which a trigger counts. In one batch they take it once; one
 * after the other, each would wait until the one before is committed.
 */
export const WAITING: Owner = {};

/** An insert of theirs had its batch run again. */
export function doubt(owner: Owner): void {
  owner.doubtedUntil = performance.now() + DOUBTED_MS;
}

/** Another replica made a change of theirs meanwhile. */
export function lostRace(owner: Owner): void {
  const at = performance.now();
  const relapses = relapsesOf(owner.races, at, RACED_MS.length - 1);
  owner.races = { at, until: at + (RACED_MS[relapses] as number), relapses };
}

/** What happens while it is expected is no relapse. */
function relapsesOf(last: Expectation | undefined, at: number, most: number): number {
  if (!last || at - Math.max(last.at, last.until) >= REMEMBERED_MS) return 0;
  return Math.min(last.relapses + Number(at >= last.until), most);
}

/** An insert of theirs met a lock, maybe that of a row which others do not need. */
export function waited(owner: Owner): void {
  owner.waitsUntil = performance.now() + WAITING_MS;
}

/** Those that a statement of this owner shares batches with, if not with all. */
export function partyOf(owner: Owner): Owner | undefined {
  const now = performance.now();
  const { doubtedUntil = 0, races } = owner;
  if (now < Math.max(doubtedUntil, races?.until ?? 0) || isKnownAsSlow(owner)) return owner;
  return now < (owner.waitsUntil ?? 0) ? WAITING : undefined;
}

export function isKnownAsSlow(owner: Owner | undefined): boolean {
  return performance.now() < (owner?.slowness?.until ?? 0);
}

/** Or a read of theirs took long of late. */
export function isSuspected(owner: Owner): boolean {
  return isKnownAsSlow(owner) || performance.now() - (owner.suspectedAt ?? -Infinity) < SUSPECTED_MS;
}

/** Those whose statements take long, and whether it has to be known whose a statement is, which has a cost. */
export class Owners {
  private wantedUntil = -Infinity;

  get areWanted(): boolean {
    return performance.now() < this.wantedUntil;
  }

  want(): void {
    this.wantedUntil = performance.now() + SLOW_MS;
  }

  /**
   * A reader has to be quick more often than slow. One that was clearly slow before, as in bursts, is forgiven only after 30 s
   * without a slow read.
   */
  tookLong(owner: Owner | undefined, isClear = false): void {
    this.want();
    if (!owner) return;
    const at = performance.now();
    const { slowness, key } = owner;
    const proofs = key ? PROOFS_OF_READS : PROOFS;
    const relapses = relapsesOf(slowness, at, proofs.length - 1);
    let toProve = proofs[relapses] as number;
    if (key && slowness) {
      const isExpected = at < slowness.until;
      if (isClear && (isExpected || relapses > 0)) toProve = Infinity;
      else if (isExpected)
        toProve = Math.max(slowness.toProve, Math.min(toProve, slowness.toProve + PROOFS_OF_ONE));
    }
    owner.slowness = { at, until: at + SLOW_MS, relapses, toProve };
  }

  /** One read may have taken long by chance. Returns whether it is the second of late. */
  suspect(owner: Owner): boolean {
    this.want();
    const { suspectedAt = -Infinity } = owner;
    owner.suspectedAt = performance.now();
    return owner.suspectedAt - suspectedAt < SUSPECTED_MS;
  }

  wasQuick({ slowness }: Owner): void {
    if (slowness && --slowness.toProve === 0) slowness.until = performance.now();
  }
}
