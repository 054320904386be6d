import { giveUpAfter } from '../common/patience.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import { LongTurns } from './long-turns.js';
import { RecentTurns } from './recent-turns.js';

interface Limits {
  readonly mostRunning: number;
  readonly mostRunningPerGroup?: number;
  readonly mostRunningPerTarget?: number;
  /** Of groups and targets that had long turns of late. Only with this limit does the time count for which turns are held. */
  readonly mostRunningLong?: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly id: unknown;
  readonly group: unknown;
  readonly target: string | undefined;
  begin(): void;
}

/** How a turn ended. `id`: what it was taken with, if that is not its group. */
interface Ending {
  readonly id?: unknown;
  readonly hasChanged?: boolean;
}

interface Running {
  readonly id: unknown;
  readonly since: number;
  readonly isLong: boolean;
}

/** Known while tasks with this target run or wait. */
interface Target {
  running: number;
  waiting: number;
  /** What each group has had here. */
  readonly had: RecentTurns;
}

/**
 * Lets only some tasks run at once, in all, of each group, and of those with the same target, which wait for each other.
 * Others wait, for a limited time. The next turn is for the one whose group and target both had the fewest of late, of which
 * long ones count more: who takes less than its part hardly waits, and neither does who shares no target beside hundreds who
 * share some. Among those who share one and are equal otherwise, it is for the group that had the fewest there.
 */
export class Turns {
  private readonly running: Running[] = [];
  private readonly runningOf = new Map<unknown, number>();
  private readonly targets = new Map<string | undefined, Target>();
  private readonly waiting = new Set<Waiting>();
  /** What each group and each target has had. */
  private readonly had = new RecentTurns();
  private readonly long = new LongTurns();

  constructor(
    private readonly limits: Limits,
    private readonly places = new WaitingPlaces(Infinity),
  ) {}

  /** False when there is no place to wait, or the wait took too long. Each turn that was taken must be ended. */
  take(group: unknown, target?: string, id = group): boolean | Promise<boolean> {
    if (this.mayBegin(group, target)) {
      this.begin({ id, group, target });
      return true;
    }
    return new Promise((resolve) => {
      const end = (isMyTurn: boolean): void => {
        cancel();
        free?.();
        if (this.waiting.delete(me)) this.count(target, 'waiting', -1);
        resolve(isMyTurn);
      };
      const me: Waiting = { id, group, target, begin: () => end(true) };
      const giveUp = (): void => end(false);
      const cancel = giveUpAfter(this.limits.waitMs, giveUp);
      // Those that wait for a target, of whatever groups, must not take the places of those that do not.
      const whose = this.targets.has(target) ? { group: target, member: group } : { group };
      const free = this.places.take({ ...whose, rank: () => this.rankOf(me), giveUp });
      if (!free) return giveUp();
      this.waiting.add(me);
      this.count(target, 'waiting', 1);
    });
  }

  end(group: unknown, target?: string, { id = group, hasChanged = false }: Ending = {}): void {
    this.countHeld({ id, group, target }, hasChanged);
    countDown(this.runningOf, group);
    this.count(target, 'running', -1);
    this.beginNext();
  }

  /** Whether as many of the group run as may. */
  protected isShareTaken(group: unknown): boolean {
    return (this.runningOf.get(group) ?? 0) >= (this.limits.mostRunningPerGroup ?? Infinity);
  }

  protected isTargetTaken(target: string | undefined): boolean {
    const { running = 0 } = this.targets.get(target) ?? {};
    return running >= (this.limits.mostRunningPerTarget ?? Infinity);
  }

  private mayBegin(group: unknown, target: string | undefined): boolean {
    const { mostRunning, mostRunningLong = mostRunning } = this.limits;
    if (this.running.length >= mostRunning || this.isShareTaken(group) || this.isTargetTaken(target))
      return false;
    return (
      !this.isLong(group, target) || this.running.filter(({ isLong }) => isLong).length < mostRunningLong
    );
  }

  /** Long turns that end at once would leave none to others meanwhile. */
  private isLong(group: unknown, target: string | undefined): boolean {
    return sharing(group, target).some((one) => this.long.hadOne(one));
  }

  private begin({ id, group, target }: Omit<Waiting, 'begin'>): void {
    this.running.push({ id, since: performance.now(), isLong: this.isLong(group, target) });
    countUp(this.runningOf, group);
    this.count(target, 'running', 1);
    this.had.add(...sharing(group, target));
    this.targets.get(target)?.had.add(group);
  }

  private countHeld({ id, group, target }: Omit<Waiting, 'begin'>, hasChanged: boolean): void {
    const ended = this.running.find((one) => one.id === id);
    if (!ended) return;
    this.running.splice(this.running.indexOf(ended), 1);
    if (this.limits.mostRunningLong === undefined) return;
    const ms = performance.now() - ended.since;
    this.had.addHeld(ms, ...sharing(group, target));
    this.long.add(ms, hasChanged, ...sharing(group, target));
    this.targets.get(target)?.had.addHeld(ms, group);
  }

  private count(target: string | undefined, what: 'running' | 'waiting', change: 1 | -1): void {
    if (target === undefined) return;
    const there = this.targets.get(target) ?? { running: 0, waiting: 0, had: new RecentTurns() };
    there[what] += change;
    if (there.running + there.waiting > 0) this.targets.set(target, there);
    else this.targets.delete(target);
  }

  /** One that ends may free its group for one task, and its target for another. */
  private beginNext(): void {
    for (let next = this.next(); next; next = this.next()) {
      this.begin(next);
      next.begin();
    }
  }

  private next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const one of this.waiting)
      if (this.mayBegin(one.group, one.target) && (!next || this.isBefore(one, next))) next = one;
    return next;
  }

  private isBefore(one: Waiting, other: Waiting): boolean {
    const [[had, hadThere], [others, othersThere]] = [this.rankOf(one), this.rankOf(other)];
    const isThereToo = one.target === other.target;
    return had < others || (had === others && isThereToo && hadThere < othersThere);
  }

  /** How many turns it has had, or its target, and then itself at its target. */
  private rankOf({ group, target }: Waiting): readonly [number, number] {
    const had = Math.max(this.had.of(group), this.had.of(target));
    return [had, this.targets.get(target)?.had.of(group) ?? 0];
  }
}

function sharing(group: unknown, target: string | undefined): unknown[] {
  return target === undefined ? [group] : [group, target];
}

function countUp<T>(counts: Map<T, number>, of: T): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}

function countDown<T>(counts: Map<T, number>, of: T): void {
  const rest = (counts.get(of) ?? 1) - 1;
  if (rest > 0) counts.set(of, rest);
  else counts.delete(of);
}
