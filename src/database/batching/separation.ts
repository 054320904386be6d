const LASTS_MS = 60_000;

/**
 * Whether recorded batches send their inserts separately, and not combined: that costs more, and the one that fails
 * identifies its request. It begins when an insert met a lock or was refused, and ends early when it makes a batch slow.
 */
export class Separation {
  private until = -Infinity;

  get isOn(): boolean {
    return performance.now() < this.until;
  }

  begin(): void {
    this.until = performance.now() + LASTS_MS;
  }

  end(): void {
    this.until = -Infinity;
  }
}
