import { QuickestOfLate } from '../common/quickest-of-late.js';

/** A turn is long that is held for so much longer than twice the quickest of late: each may have a cost. */
const LONG_MS = 100;
const QUICKEST_OF_MS = 10_000;
/** For so long after a long turn, the next ones are expected to be long. Short ones, or none, between prove nothing. */
const REMEMBERED_MS = 60_000;

/** Who held a turn for long of late, as who waits for locks does. New ones do not count: few turns may be left for them. */
export class LongTurns {
  private readonly quickest = new QuickestOfLate(QUICKEST_OF_MS);
  /** When each had its last one, the oldest first. */
  private readonly at = new Map<unknown, number>();

  /** One that changed nothing, such as of a request at fault, does not tell what turns take. */
  add(ms: number, hasChanged: boolean, ...sharing: unknown[]): void {
    if (hasChanged) this.quickest.add(ms);
    if (ms <= LONG_MS + 2 * this.quickest.ms) return;
    for (const one of sharing) {
      this.at.delete(one);
      this.at.set(one, performance.now());
    }
    for (const one of this.at.keys()) {
      if (this.hadOne(one)) return;
      this.at.delete(one);
    }
  }

  hadOne(one: unknown): boolean {
    return performance.now() - (this.at.get(one) ?? -Infinity) < REMEMBERED_MS;
  }
}
