import { unavailable } from '../api/errors/api-error.js';
import { giveUpAfter } from '../common/patience.js';
import type { WaitingPlaces } from '../common/waiting-places.js';
import { withTimeout } from '../common/with-timeout.js';
import { OutcomeUnknown } from '../database/database-errors.js';

interface UnderWay<T> {
  readonly digest: string;
  readonly work: Promise<T>;
  /** When the client is told that the outcome is unknown, by `performance.now()`. */
  readonly until: number;
  readonly reject: (error: Error) => void;
  /** The equal requests that wait for it, each with what gives it a place among those that wait. */
  waiting?: Set<() => void>;
  isDelayed?: boolean;
}

/** An equal request that waits for the first. */
interface Waiting {
  /** Whose requests share the places. */
  readonly group: unknown;
  readonly deadline: number;
}

/** Equal requests of this process: one runs at a time, and the others get its success. */
export class RequestsUnderWay<T extends object> {
  /** Some dozens, the oldest first. A map whose entries come and go would keep old ones alive, as in `SharedReads`. */
  private readonly all: UnderWay<T>[] = [];
  private isWatched = false;

  constructor(
    /** Each step has its own limit. This one is for all together. */
    private readonly mostMs: number,
    private readonly places: WaitingPlaces,
  ) {}

  /** Runs the work, unless equal work under way succeeds before the deadline. */
  run(digest: string, waiting: Waiting, work: () => Promise<T>): Promise<{ result: T; isOwn: boolean }> {
    const other = this.find(digest);
    return other ? this.waitFor(other, waiting, work) : this.begin(digest, work());
  }

  /** The work takes longer than usual: from now on, those that wait for it need places. */
  delay(digest: string): void {
    const delayed = this.find(digest);
    if (!delayed || delayed.isDelayed) return;
    delayed.isDelayed = true;
    for (const takePlace of delayed.waiting ?? []) takePlace();
  }

  private async waitFor(
    other: UnderWay<T>,
    waiting: Waiting,
    work: () => Promise<T>,
  ): Promise<{ result: T; isOwn: boolean }> {
    let free: (() => void) | undefined;
    let takePlace!: () => void;
    const noPlace = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(stillUnderWay());
      takePlace = () => {
        free = this.places.take({ group: waiting.group, giveUp });
        if (!free) giveUp();
      };
    });
    other.waiting ??= new Set();
    other.waiting.add(takePlace);
    if (other.isDelayed) takePlace();
    try {
      const success = Promise.race([other.work.catch(() => undefined), noPlace]);
      const result = await withTimeout(success, Math.max(1, waiting.deadline - performance.now()), () => {
        throw stillUnderWay();
      });
      if (result) return { result, isOwn: false };
    } finally {
      other.waiting.delete(takePlace);
      free?.();
    }
    return this.run(other.digest, waiting, work);
  }

  private begin(digest: string, work: Promise<T>): Promise<{ result: T; isOwn: boolean }> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.mostMs;
      const own: UnderWay<T> = { digest, work, until, reject };
      this.all.push(own);
      if (!this.isWatched) this.watch(this.mostMs);
      const end = (): void => void this.all.splice(this.all.indexOf(own), 1);
      void work.then((result) => resolve({ result, isOwn: true }), reject).then(end);
    });
  }

  /** The work goes on. */
  private rejectLate(): void {
    const now = performance.now();
    for (const { until, reject } of this.all) if (until <= now) reject(new OutcomeUnknown());
    const next = this.all.find(({ until }) => until > now);
    this.isWatched = false;
    if (next) this.watch(next.until - now);
  }

  private watch(ms: number): void {
    this.isWatched = true;
    giveUpAfter(ms, () => this.rejectLate());
  }

  private find(digest: string): UnderWay<T> | undefined {
    return this.all.find((one) => one.digest === digest);
  }
}

function stillUnderWay(): Error {
  return unavailable('The first request with this Idempotency-Key is still under way. Repeat it.');
}
