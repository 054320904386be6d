/** Without any insert of theirs: longer than those of a few dozen owners take that follow one another. */
const DOUBTED_MS = 30_000;
/** For so long, a further slow insert counts as a relapse. */
const REMEMBERED_MS = 300_000;
/** A key whose rows are seldom slow must not be forgiven again and again. */
const PROOFS = [1, 8, 64];

/** Whose a statement is: the API key of its request. */
export interface Owner {
  /** For so long its inserts may share batches with each other only, by `performance.now()`. */
  doubtedUntil?: number;
  slowness?: Slowness;
  /** When the last batch of its own began. */
  turnAt?: number;
}

interface Slowness {
  readonly at: number;
  until: number;
  readonly relapses: number;
  /** Inserts that have to be quick until it is forgiven. */
  toProve: number;
}

export function doubt(owner: Owner, ms: number): void {
  owner.doubtedUntil = performance.now() + ms;
}

export function isDoubtful(owner: Owner): boolean {
  return performance.now() < (owner.doubtedUntil ?? 0) || isKnownAsSlow(owner);
}

export function isKnownAsSlow(owner: Owner | undefined): boolean {
  return performance.now() < (owner?.slowness?.until ?? 0);
}

/** Of those, the one that has waited longest for its turn: one with many inserts that wait must not have all of them. */
export function takeTurn(waiting: readonly (Owner | undefined)[]): Owner | undefined {
  const turnOf = (owner?: Owner): number => owner?.turnAt ?? 0;
  const [next] = waiting.toSorted((one, other) => turnOf(one) - turnOf(other));
  if (next) next.turnAt = performance.now();
  return next;
}

/** Those whose inserts take long, and whether it has to be known whose an insert is, which has a cost. */
export class Owners {
  private wantedUntil = -Infinity;

  get areWanted(): boolean {
    return performance.now() < this.wantedUntil;
  }

  want(): void {
    this.wantedUntil = performance.now() + DOUBTED_MS;
  }

  /** All may have been slow for a moment. So one quick insert is enough at first, and many more after relapses. */
  tookLong(owner: Owner | undefined): void {
    this.want();
    if (!owner) return;
    const at = performance.now();
    const last = owner.slowness && at - owner.slowness.at < REMEMBERED_MS ? owner.slowness : undefined;
    const isRelapse = last !== undefined && at >= last.until;
    const relapses = Math.min((last?.relapses ?? 0) + Number(isRelapse), PROOFS.length - 1);
    owner.slowness = { at, until: at + DOUBTED_MS, relapses, toProve: PROOFS[relapses] as number };
  }

  wasQuick({ slowness }: Owner): void {
    if (slowness && --slowness.toProve === 0) slowness.until = performance.now();
  }
}
