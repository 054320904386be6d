import { NetworkCounts } from './network-counts.js';

export const TICK_MS = 100;
/** Event-loop lag above the longest normal response time. */
const LATE_MS = 500;
/** A single long task is no overload: so many ticks in a row must be late. */
const LATE_TICKS = 3;
/** Keys and networks with few requests may use the whole limit, and others this part of it. */
const PART_FOR_MANY = 0.75;
const FEW = 3;
/** How many times the free places of that part each may have. In a network with a busy key, others find room. */
const SHARE_OF_FREE = { key: 2, network: 3 };
/** Whose requests are limited to a share. */
export type Sharer = keyof typeof SHARE_OF_FREE;

/** Detects overload: too many requests in flight, or an event loop that lags. */
export class LoadMonitor {
  /** Requests that were read completely and are not answered yet. */
  inFlight = 0;
  /** Requests of known keys, until their handler is done: also those whose client has left. */
  readonly byNetwork = new NetworkCounts();
  refused = 0;
  private lateTicks = 0;
  private due = Infinity;
  private refusals = new Map<string, number>();

  private readonly partForMany: number;

  constructor(private readonly maxInFlight: number) {
    this.partForMany = Math.max(1, Math.floor(maxInFlight * PART_FOR_MANY));
  }

  get isOverloaded(): boolean {
    return this.lateTicks >= LATE_TICKS || this.inFlight >= this.maxInFlight;
  }

  /** How many more requests may be in flight. */
  get free(): number {
    return Math.max(0, this.maxInFlight - this.inFlight);
  }

  /** Whether a key or network that has so many requests in flight has its share. */
  isShareTaken(sharer: Sharer, requests: number): boolean {
    if (requests < Math.min(FEW, this.partForMany)) return false;
    return requests >= SHARE_OF_FREE[sharer] * (this.partForMany - this.byNetwork.total);
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
