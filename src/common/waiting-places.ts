export interface Waiter {
  readonly group: unknown;
  /** Who of the group waits, if it has several. */
  readonly member?: unknown;
  /** Of two with as many places, the one with the higher rank gives way, compared number by number. */
  rank?(): readonly number[];
  giveUp(): void;
}

interface Standing {
  readonly waiter: Waiter;
  readonly placesOfGroup: number;
  readonly placesOfMember: number;
  readonly rank: readonly number[] | undefined;
}

/**
 * The requests of the process that wait for one another: for a turn, for an equal request, or for a batch of their own. They
 * are few, so that all keys together leave room for requests that wait for nobody. When all places are taken, the group
 * with the most gives up one for a group with fewer, or for a member of its own with fewer: the newest of the member with
 * the most.
 */
export class WaitingPlaces {
  /** The newest last. */
  private readonly waiters: Waiter[] = [];

  constructor(private readonly most: number) {}

  /** Returns what frees the place, which also happens before `giveUp` is called; or nothing when there is none. */
  take(waiter: Waiter): (() => void) | undefined {
    if (this.waiters.length >= this.most && !this.makeRoomFor(waiter)) return undefined;
    this.waiters.push(waiter);
    return () => this.free(waiter);
  }

  private makeRoomFor(newcomer: Waiter): boolean {
    const own = this.standingOf(newcomer, 1);
    let last: Standing | undefined;
    for (const waiter of this.waiters) {
      const one = this.standingOf(waiter);
      if (compare(own, one) < 0 && (!last || compare(last, one) <= 0)) last = one;
    }
    if (!last) return false;
    this.free(last.waiter);
    last.waiter.giveUp();
    return true;
  }

  private standingOf(waiter: Waiter, more = 0): Standing {
    let [placesOfGroup, placesOfMember] = [more, more];
    for (const { group, member } of this.waiters) {
      if (group !== waiter.group) continue;
      placesOfGroup++;
      if (member === waiter.member) placesOfMember++;
    }
    return { waiter, placesOfGroup, placesOfMember, rank: waiter.rank?.() };
  }

  private free(waiter: Waiter): void {
    const position = this.waiters.indexOf(waiter);
    if (position >= 0) this.waiters.splice(position, 1);
  }
}

/** Negative if the first has the better claim to a place. */
function compare(one: Standing, other: Standing): number {
  const places = one.waiter.group === other.waiter.group ? 'placesOfMember' : 'placesOfGroup';
  return one[places] - other[places] || compareRanks(one.rank ?? [], other.rank ?? []);
}

/** Without a rank, one neither gives way to one that has as many places, nor has it give way. */
function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [i, rank] of one.entries()) {
    const difference = rank - (other[i] ?? rank);
    if (difference !== 0) return difference;
  }
  return 0;
}
