import { DATABASE_LIMITS } from '../limits.js';

/** Of the time of the quickest batch. One that takes longer has more work in it than a longer way explains. */
const QUICK = 1.5;
/** Twice that is answered in time. */
const MOST_MS = 250;
const REMEMBERED_MS = 10_000;

/**
 * How many statements share a batch: more where the way to the server takes most of its time, since one is under way at
 * a time. A batch that takes hardly longer than the quickest shows that.
 */
export class BatchSize {
  most: number;
  private quickestMs = Infinity;
  private forgottenAt = 0;

  constructor(
    private readonly least: number = DATABASE_LIMITS.batch,
    private readonly largest: number = DATABASE_LIMITS.largeBatch,
  ) {
    this.most = least;
  }

  /** A batch of this size was answered. */
  answered(size: number, ms: number): void {
    const now = performance.now();
    if (now >= this.forgottenAt) {
      this.quickestMs = Infinity;
      this.forgottenAt = now + REMEMBERED_MS;
    }
    this.quickestMs = Math.min(this.quickestMs, ms);
    const isQuick = ms <= MOST_MS && ms <= QUICK * this.quickestMs;
    if (!isQuick) this.most = Math.max(this.least, this.most / 2);
    else if (size >= this.most) this.most = Math.min(this.largest, 2 * this.most);
  }

  /** A batch was not answered in time. */
  lost(): void {
    this.most = this.least;
  }
}
