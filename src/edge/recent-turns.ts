/** A turn counts half after this time. */
const HALF_LIFE_MS = 2_000;
/** As they begin, turns count no more: who had many while nobody else wanted any does not wait for long afterwards. */
const MOST = 8;
/** Nor for the time that they are held. */
const MOST_HELD = 200;
/** A turn that is held for so much longer counts as one more. */
const TURN_MS = 10;
/** Less than this is forgotten. */
const LEAST = 1 / 100;

/**
 * How many turns each has had of late, as a number that orders them: older turns count less. Who has two in a row after a
 * pause still comes before those who have one again and again, which the time of the last turn alone would not tell.
 *
 * They fade with time. When they faded with the turns of others, those who took one now and then while few wanted any had
 * ever more, and came behind all who began at once.
 *
 * Since all counts fade alike, only their logarithms are kept, as of the start of the process: they do not change by
 * themselves.
 */
export class RecentTurns {
  private readonly counts = new Map<unknown, number>();

  of(one: unknown): number {
    return this.counts.get(one) ?? 0;
  }

  /** Counts one turn of each, which all of them share. */
  add(...sharing: unknown[]): void {
    this.count(1, MOST, sharing);
  }

  /** Counts how long it was held: who waits for locks again and again must not have all turns. */
  addHeld(ms: number, ...sharing: unknown[]): void {
    if (ms > TURN_MS) this.count(ms / TURN_MS - 1, MOST_HELD, sharing);
  }

  private count(turns: number, most: number, sharing: readonly unknown[]): void {
    const now = nowInHalfLives();
    for (const one of sharing) {
      const before = this.counts.get(one);
      const faded = before === undefined ? 0 : 2 ** (before - now);
      this.counts.delete(one);
      this.counts.set(one, now + Math.log2(Math.max(faded, Math.min(faded + turns, most))));
    }
    for (const [other, count] of this.counts) {
      if (count > now + Math.log2(LEAST)) return;
      this.counts.delete(other);
    }
  }
}

function nowInHalfLives(): number {
  return performance.now() / HALF_LIFE_MS;
}
