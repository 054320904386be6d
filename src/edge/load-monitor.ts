export const TICK_MS = 100;
/** Event-loop lag above the longest normal response time. */
const LATE_MS = 500;
/** A single long task is no overload: so many ticks in a row must be late. */
const LATE_TICKS = 3;
/** The share of the limit that one key may use, so that others find room. */
const SHARE_PER_KEY = 0.75;

/** Detects overload: too many requests in flight, or an event loop that lags. */
export class LoadMonitor {
  /** Requests that were read completely and are not answered yet. */
  inFlight = 0;
  refused = 0;
  private lateTicks = 0;
  private due = Infinity;
  private refusals = new Map<string, number>();

  readonly maxInFlightPerKey: number;

  constructor(private readonly maxInFlight: number) {
    this.maxInFlightPerKey = Math.max(1, Math.floor(maxInFlight * SHARE_PER_KEY));
  }

  get isOverloaded(): boolean {
    return this.lateTicks >= LATE_TICKS || this.inFlight >= this.maxInFlight;
  }

  /** How many more requests may be in flight. */
  get free(): number {
    return Math.max(0, this.maxInFlight - this.inFlight);
  }

  /** Call it every `TICK_MS`: a late call shows that the event loop lags. */
  tick(now: number): void {
    this.lateTicks = now - this.due > LATE_MS ? this.lateTicks + 1 : 0;
    this.due = now + TICK_MS;
  }

  refuse(reason: string): void {
    this.refused++;
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }

  /** Returns how many requests were refused for each reason since the previous call. */
  takeRefusals(): ReadonlyMap<string, number> {
    const since = this.refusals;
    if (since.size > 0) this.refusals = new Map();
    return since;
  }
}
