const LOCKED_MS = 1_000;

/** When a statement last waited in vain for a lock. While that is recent, reads and plain writes do not wait: they delay others. */
export class RecentLock {
  private at = -Infinity;

  note(): void {
    this.at = performance.now();
  }

  get isRecent(): boolean {
    return performance.now() - this.at < LOCKED_MS;
  }
}
