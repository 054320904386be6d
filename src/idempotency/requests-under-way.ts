import { unavailable } from '../api/errors/api-error.js';
import { withTimeout } from '../common/with-timeout.js';
import { OutcomeUnknown } from '../database/database-errors.js';

interface UnderWay<T> {
  readonly digest: string;
  readonly work: Promise<T>;
  /** When the client is told that the outcome is unknown, by `performance.now()`. */
  readonly until: number;
  readonly reject: (error: Error) => void;
}

/** Equal requests of this process: one runs at a time, and the others get its success. */
export class RequestsUnderWay<T extends object> {
  /** Some dozens, the oldest first. A map whose entries come and go would keep old ones alive, as in `SharedReads`. */
  private readonly all: UnderWay<T>[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** Each step has its own limit. This one is for all together. */
    private readonly mostMs: number,
  ) {}

  /** Runs the work, unless equal work under way succeeds before the deadline. */
  run(digest: string, deadline: number, work: () => Promise<T>): Promise<{ result: T; isOwn: boolean }> {
    const other = this.find(digest);
    return other ? this.waitFor(other, deadline, work) : this.begin(digest, work());
  }

  private async waitFor(
    { digest, work: underWay }: UnderWay<T>,
    deadline: number,
    work: () => Promise<T>,
  ): Promise<{ result: T; isOwn: boolean }> {
    const success = underWay.catch(() => undefined);
    const result = await withTimeout(success, Math.max(1, deadline - performance.now()), () => {
      throw unavailable('The first request with this Idempotency-Key is still under way. Repeat it.');
    });
    return result ? { result, isOwn: false } : this.run(digest, deadline, work);
  }

  private begin(digest: string, work: Promise<T>): Promise<{ result: T; isOwn: boolean }> {
    return new Promise((resolve, reject) => {
      const own = { digest, work, until: performance.now() + this.mostMs, reject };
      this.all.push(own);
      this.timer ??= setTimeout(() => this.rejectLate(), this.mostMs).unref();
      const end = (): void => void this.all.splice(this.all.indexOf(own), 1);
      void work.then((result) => resolve({ result, isOwn: true }), reject).then(end);
    });
  }

  /** The work goes on. */
  private rejectLate(): void {
    const now = performance.now();
    for (const { until, reject } of this.all) if (until <= now) reject(new OutcomeUnknown());
    const next = this.all.find(({ until }) => until > now);
    this.timer = next && setTimeout(() => this.rejectLate(), next.until - now).unref();
  }

  private find(digest: string): UnderWay<T> | undefined {
    return this.all.find((one) => one.digest === digest);
  }
}
