import { WaitingPlaces } from '../common/waiting-places.js';

interface Limits {
  readonly mostRunning: number;
  readonly mostRunningPerGroup?: number;
  readonly waitMs: number;
}

/** Older turns are forgotten. */
const REMEMBERED = 1_000;

/**
 * Lets only some tasks run at once, in all and of each group. Others wait, for a limited time. The next turn is for the
 * group that had none for the longest time: one that takes less than its part hardly waits.
 */
export class Turns {
  private running = 0;
  private readonly runningOf = new Map<unknown, number>();
  private readonly waiting = new Map<unknown, (() => void)[]>();
  private turns = 0;
  /** The number of the last turn of each group, the oldest first. */
  private readonly lastTurns = new Map<unknown, number>();

  constructor(
    private readonly limits: Limits,
    private readonly places = new WaitingPlaces(Infinity),
  ) {}

  /** False when there is no place to wait, or the wait took too long. Each turn that was taken must be ended. */
  take(group: unknown): boolean | Promise<boolean> {
    if (this.mayBegin(group)) {
      this.begin(group);
      return true;
    }
    return new Promise((resolve) => {
      const end = (isMyTurn: boolean): void => {
        clearTimeout(timer);
        free?.();
        this.leave(group, begin);
        resolve(isMyTurn);
      };
      const begin = (): void => end(true);
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, this.limits.waitMs);
      const free = this.places.take(group, giveUp);
      if (!free) {
        giveUp();
        return;
      }
      const others = this.waiting.get(group);
      if (others) others.push(begin);
      else this.waiting.set(group, [begin]);
    });
  }

  end(group: unknown): void {
    this.running--;
    const others = (this.runningOf.get(group) ?? 1) - 1;
    if (others > 0) this.runningOf.set(group, others);
    else this.runningOf.delete(group);
    this.beginNext();
  }

  /** Whether as many of the group run as may. */
  protected isShareTaken(group: unknown): boolean {
    return (this.runningOf.get(group) ?? 0) >= (this.limits.mostRunningPerGroup ?? Infinity);
  }

  private mayBegin(group: unknown): boolean {
    return this.running < this.limits.mostRunning && !this.isShareTaken(group);
  }

  private begin(group: unknown): void {
    this.running++;
    this.runningOf.set(group, (this.runningOf.get(group) ?? 0) + 1);
    this.lastTurns.delete(group);
    this.lastTurns.set(group, ++this.turns);
    for (const [old, turn] of this.lastTurns) {
      if (turn > this.turns - REMEMBERED) return;
      this.lastTurns.delete(old);
    }
  }

  private beginNext(): void {
    let next: unknown;
    let oldest = Infinity;
    for (const group of this.waiting.keys()) {
      const turn = this.lastTurns.get(group) ?? 0;
      if (turn < oldest && this.mayBegin(group)) [next, oldest] = [group, turn];
    }
    if (oldest === Infinity) return;
    const [first] = this.waiting.get(next) ?? [];
    this.begin(next);
    first?.();
  }

  private leave(group: unknown, begin: () => void): void {
    const all = this.waiting.get(group) ?? [];
    const position = all.indexOf(begin);
    if (position >= 0) all.splice(position, 1);
    if (all.length === 0) this.waiting.delete(group);
  }
}
