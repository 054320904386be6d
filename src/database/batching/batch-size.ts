import { DATABASE_LIMITS } from '../limits.js';

/** Of the time of the quickest batch: what a batch may take that is to grow. */
const QUICK = 1.5;
/** A batch of twice the size takes twice the time at most, which is below `answerMs`. */
const MOST_MS = 250;
/** Short: the way to the server may have become longer. */
const REMEMBERED_MS = 2_000;
/** Beyond twice the time of the quickest. */
const LATE_MS = 100;
/** Within these times, losses are one incident, and of one cause. */
const ONE_MS = 500;
const AGAIN_MS = 10_000;
/** For so long after a loss, batches below the least do not grow. */
const SMALL_MS = 1_000;

/**
 * How many statements share a batch: more where the way to the server takes most of its time, or the commit does, since
 * one or a few are under way at a time. A full batch that takes hardly longer than the quickest of late shows that.
 */
export class BatchSize {
  most: number;
  private lostAt = -Infinity;
  private quickestMs = Infinity;
  private forgottenAt = 0;

  constructor(
    private readonly least: number = DATABASE_LIMITS.batch,
    private readonly largest: number = DATABASE_LIMITS.largeBatch,
  ) {
    this.most = least;
  }

  /** A batch takes longer than this only for a cause. Infinite before the first one was answered. */
  get lateMs(): number {
    return LATE_MS + 2 * this.quickestMs;
  }

  /** A batch of this size was answered. */
  answered(size: number, ms: number): void {
    const now = performance.now();
    if (now >= this.forgottenAt) {
      this.quickestMs = Infinity;
      this.forgottenAt = now + REMEMBERED_MS;
    }
    this.quickestMs = Math.min(this.quickestMs, ms);
    if (this.most < this.least) {
      if (size >= this.most && now - this.lostAt > SMALL_MS) this.most = Math.min(this.least, 2 * this.most);
      return;
    }
    const isQuick = ms <= MOST_MS && ms <= QUICK * this.quickestMs;
    if (!isQuick) this.most = Math.max(this.least, this.most / 2);
    else if (size >= this.most) this.most = Math.min(this.largest, 2 * this.most);
  }

  /** A batch was not answered in time, or its connection was closed. */
  lost(): void {
    this.most = Math.min(this.least, this.most);
  }

  /** No answer came. If this happens again, a way that loses large packets may let small ones pass. */
  lostAnswer(): void {
    this.lost();
    const now = performance.now();
    const ms = now - this.lostAt;
    if (ms < ONE_MS) return;
    if (ms < AGAIN_MS) this.most = Math.max(1, Math.floor(this.most / 4));
    this.lostAt = now;
  }
}
