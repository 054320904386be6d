import { WaitingPlaces } from '../common/waiting-places.js';

interface Limits {
  readonly mostRunning: number;
  readonly mostRunningPerGroup?: number;
  readonly mostRunningPerTarget?: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly group: unknown;
  readonly target: string | undefined;
  begin(): void;
}

/** Older turns are forgotten. */
const REMEMBERED = 1_000;

/**
 * Lets only some tasks run at once, in all, of each group, and of those with the same target, which wait for each other.
 * Others wait, for a limited time. The next turn is for the one whose group and target both had none for the longest time:
 * who takes less than its part hardly waits, and neither does who shares no target beside hundreds who share some.
 */
export class Turns {
  private running = 0;
  private readonly runningOf = new Map<unknown, number>();
  private readonly runningAt = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();
  private turns = 0;
  /** The number of the last turn of each group and each target, the oldest first. */
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
        this.waiting.delete(me);
        resolve(isMyTurn);
      };
      const me: Waiting = { group, target, begin: () => end(true) };
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, this.limits.waitMs);
      // Those that wait for a target, of whatever groups, must not take the places of those that do not.
      const isBehindOthers = target !== undefined && this.runningAt.has(target);
      const free = this.places.take(isBehindOthers ? target : group, giveUp);
      if (free) this.waiting.add(me);
      else giveUp();
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
    this.turns++;
    for (const one of [group, target]) {
      this.lastTurns.delete(one);
      if (one !== undefined) this.lastTurns.set(one, this.turns);
    }
    for (const [old, turn] of this.lastTurns) {
      if (turn > this.turns - REMEMBERED) return;
      this.lastTurns.delete(old);
    }
  }

  /** One that ends may free its group for one task, and its target for another. */
  private beginNext(): void {
    for (let next = this.next(); next; next = this.next()) {
      this.begin(next.group, next.target);
      next.begin();
    }
  }

  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    let oldest = Infinity;
    for (const one of this.waiting) {
      const turn = Math.max(this.lastTurns.get(one.group) ?? 0, this.lastTurns.get(one.target) ?? 0);
      if (turn < oldest && this.mayBegin(one.group, one.target)) [next, oldest] = [one, turn];
    }
    return next;
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
