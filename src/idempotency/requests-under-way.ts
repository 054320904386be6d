import { unavailable } from '../api/errors/api-error.js';
import { withTimeout } from '../common/with-timeout.js';

/** Equal requests of this process: one runs at a time, and the others get its success. */
export class RequestsUnderWay<T extends object> {
  private readonly results = new Map<string, Promise<T | undefined>>();

  /** Runs the work, unless equal work under way succeeds before the deadline. */
  async run(
    digest: string,
    deadline: number,
    work: () => Promise<T>,
  ): Promise<{ result: T; isOwn: boolean }> {
    for (let other = this.results.get(digest); other; other = this.results.get(digest)) {
      const result = await withTimeout(other, Math.max(1, deadline - performance.now()), () => {
        throw unavailable('The first request with this Idempotency-Key is still under way. Repeat it.');
      });
      if (result) return { result, isOwn: false };
    }
    const own = work();
    const end = (result?: T): T | undefined => {
      this.results.delete(digest);
      return result;
    };
    this.results.set(
      digest,
      own.then(end, () => end()),
    );
    return { result: await own, isOwn: true };
  }
}
