import { DATABASE_LIMITS } from '../limits.js';

/** Of the time of the quickest batch: what a batch may take that is to grow. */
const QUICK = 1.5;
/** A batch of twice the size takes twice the time at most, which is below `answerMs`. */
const MOST_MS = 250;
/** Short: the way to the server may have become longer. */
const REMEMBERED_MS = 2_000;

/**
 * How many statements share a batch: more where the way to the server takes most of its time, or the commit does, since
 * one or a few are under way at a time. A full batch that takes hardly longer than the quickest of late shows that.
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
