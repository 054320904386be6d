import { WaitingPlaces } from '../common/waiting-places.js';

interface Limits {
  readonly mostRunning: number;
  readonly mostRunningPerGroup?: number;
  readonly mostRunningPerTarget?: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly begin: () => void;
  readonly target: string | undefined;
}

/** Older turns are forgotten. */
const REMEMBERED = 1_000;

/**
 * Lets only some tasks run at once, in all, of each group, and of those with the same target, which wait for each other.
 * Others wait, for a limited time. The next turn is for the group that had none for the longest time: one that takes less
 * than its part hardly waits.
 */
export class Turns {
  private running = 0;
  private readonly runningOf = new Map<unknown, number>();
  private readonly runningAt = new Map<string, number>();
  private readonly waiting = new Map<unknown, Waiting[]>();
  private turns = 0;
  /** The number of the last turn of each group, the oldest first. */
  private readonly lastTurns = new Map<unknown, number>();

  constructor(
    private readonly limits: Limits,
    private readonly places = new WaitingPlaces(Infinity),
  ) {}

  /** False when there is no place to wait, or the wait took too long. Each turn that was taken must be ended. */
  take(group: unknown, target?: string): boolean | Promise<boolean> {
    if (this.mayBegin(group, target)) {
      this.begin(group, target);
      return true;
    }
    return new Promise((resolve) => {
      const end = (isMyTurn: boolean): void => {
        clearTimeout(timer);
        free?.();
        this.leave(group, me);
        resolve(isMyTurn);
      };
      const me: Waiting = { begin: () => end(true), target };
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, this.limits.waitMs);
      // Those that wait for a target, of whatever groups, must not take the places of those that do not.
      const free = this.places.take(this.isTargetTaken(target) ? target : group, giveUp);
      if (!free) {
        giveUp();
        return;
      }
      const others = this.waiting.get(group);
      if (others) others.push(me);
      else this.waiting.set(group, [me]);
    });
  }

  end(group: unknown, target?: string): void {
    this.running--;
    countDown(this.runningOf, group);
    if (target !== undefined) countDown(this.runningAt, target);
    this.beginNext();
  }

  /** Whether as many of the group run as may. */
  protected isShareTaken(group: unknown): boolean {
    return (this.runningOf.get(group) ?? 0) >= (this.limits.mostRunningPerGroup ?? Infinity);
  }

  protected isTargetTaken(target: string | undefined): boolean {
    if (target === undefined) return false;
    return (this.runningAt.get(target) ?? 0) >= (this.limits.mostRunningPerTarget ?? Infinity);
  }

  private mayBegin(group: unknown, target: string | undefined): boolean {
    return this.running < this.limits.mostRunning && !this.isShareTaken(group) && !this.isTargetTaken(target);
  }

  private begin(group: unknown, target: string | undefined): void {
    this.running++;
    countUp(this.runningOf, group);
    if (target !== undefined) countUp(this.runningAt, target);
    this.lastTurns.delete(group);
    this.lastTurns.set(group, ++this.turns);
    for (const [old, turn] of this.lastTurns) {
      if (turn > this.turns - REMEMBERED) return;
      this.lastTurns.delete(old);
    }
  }

  private beginNext(): void {
    let next: Waiting | undefined;
    let [group, oldest]: [unknown, number] = [undefined, Infinity];
    for (const [other, its] of this.waiting) {
      const turn = this.lastTurns.get(other) ?? 0;
      if (turn >= oldest) continue;
      const first = its.find(({ target }) => this.mayBegin(other, target));
      if (first) [next, group, oldest] = [first, other, turn];
    }
    if (!next) return;
    this.begin(group, next.target);
    next.begin();
  }

  private leave(group: unknown, me: Waiting): void {
    const all = this.waiting.get(group) ?? [];
    const position = all.indexOf(me);
    if (position >= 0) all.splice(position, 1);
    if (all.length === 0) this.waiting.delete(group);
  }
}

function countUp<T>(counts: Map<T, number>, of: T): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}

function countDown<T>(counts: Map<T, number>, of: T): void {
  const rest = (counts.get(of) ?? 1) - 1;
  if (rest > 0) counts.set(of, rest);
  else counts.delete(of);
}
