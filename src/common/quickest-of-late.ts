/** The shortest of the times of the last moments: of a window of this length, and of the one before. */
export class QuickestOfLate {
  private quickestMs = Infinity;
  private quickestBeforeMs = Infinity;
  private since = -Infinity;

  constructor(private readonly windowMs: number) {}

  add(ms: number): void {
    const now = performance.now();
    if (now - this.since > this.windowMs) {
      this.quickestBeforeMs = now - this.since > 2 * this.windowMs ? Infinity : this.quickestMs;
      this.quickestMs = Infinity;
      this.since = now;
    }
    this.quickestMs = Math.min(this.quickestMs, ms);
  }

  /** Infinite until there is one. */
  get ms(): number {
    return Math.min(this.quickestMs, this.quickestBeforeMs);
  }
}
