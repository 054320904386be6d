/** Whoever asks while the event loop is so late waits longer than the work on any answer takes. */
const LATE_MS = 500;
/** A pause now and then is no overload: it has to be late so often in a row. */
const LATE_TICKS = 3;
export const TICK_MS = 100;
/** How much of the limit one key may use, so that others find room. */
const SHARE_OF_A_KEY = 0.75;

/** Knows whether the service has more to do than it can: too many requests at a time, or an event loop that is late. */
export class Pressure {
  /** Requests that are being worked on: read as a whole, and not yet answered. */
  open = 0;
  refused = 0;
  private lateTicks = 0;
  private due = Infinity;
  private told = 0;

  /** The most requests of one key that are worked on. */
  readonly mostOfAKey: number;

  constructor(private readonly most: number) {
    this.mostOfAKey = Math.max(1, Math.floor(most * SHARE_OF_A_KEY));
  }

  get isTooHigh(): boolean {
    return this.lateTicks >= LATE_TICKS || this.open >= this.most;
  }

  /** To be called every `TICK_MS`: whether the loop keeps up shows in when that happens. */
  tick(now: number): void {
    this.lateTicks = now - this.due > LATE_MS ? this.lateTicks + 1 : 0;
    this.due = now + TICK_MS;
  }

  /** How many were refused since this was last asked. */
  takeRefused(): number {
    const since = this.refused - this.told;
    this.told = this.refused;
    return since;
  }
}
