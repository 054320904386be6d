import { unavailable } from '../api/errors/api-error.js';
import { withTimeout } from '../common/with-timeout.js';

interface UnderWay<T> {
  readonly digest: string;
  readonly work: Promise<T>;
}

/** Equal requests of this process: one runs at a time, and the others get its success. */
export class RequestsUnderWay<T extends object> {
  /** Some dozens. A map whose entries come and go would keep old ones alive, as in `SharedReads`. */
  private readonly all: UnderWay<T>[] = [];

  /** Runs the work, unless equal work under way succeeds before the deadline. */
  async run(
    digest: string,
    deadline: number,
    work: () => Promise<T>,
  ): Promise<{ result: T; isOwn: boolean }> {
    for (let other = this.find(digest); other; other = this.find(digest)) {
      const result = await withTimeout(
        other.work.catch(nothing),
        Math.max(1, deadline - performance.now()),
        () => {
          throw unavailable('The first request with this Idempotency-Key is still under way. Repeat it.');
        },
      );
      if (result) return { result, isOwn: false };
    }
    const own = { digest, work: work() };
    this.all.push(own);
    try {
      return { result: await own.work, isOwn: true };
    } finally {
      this.all.splice(this.all.indexOf(own), 1);
    }
  }

  private find(digest: string): UnderWay<T> | undefined {
    return this.all.find((one) => one.digest === digest);
  }
}

const nothing = (): undefined => {};
