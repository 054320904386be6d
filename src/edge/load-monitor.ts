import { NetworkCounts } from './network-counts.js';

export const TICK_MS = 100;
/** Event-loop lag above the longest normal response time. */
const LATE_MS = 500;
/** A single long task is no overload: so many ticks in a row must be late. */
const LATE_TICKS = 3;
/** Keys and networks with few requests, as in HAProxy, may use the whole limit, and others this part of it. */
const PART_FOR_MANY = 0.75;
const FEW = 3;
/** How many times the free places of that part each may have. */
const SHARE_OF_FREE = { key: 2, network: 3 };
/** Until so much of that part is taken, keys with few requests find room beside busy ones of their network. */
const BESIDE_BUSY = 7 / 8;
/** Whose requests are limited to a share. */
export type Sharer = keyof typeof SHARE_OF_FREE;

/** Detects overload: too many requests in flight, or an event loop that lags. */
export class LoadMonitor {
  /** Requests that were read completely and are not answered yet. */
  inFlight = 0;
  /** Requests of known keys, until their handler is done: also those whose client has left. */
  readonly byNetwork = new NetworkCounts();
  /** Requests whose key is looked up for the first time. It may be made up. */
  readonly lookUps = new NetworkCounts();
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

  /** Which of a key and its network, that have so many requests in flight, may have no more. */
  findTakenShare(ofKey: number, ofNetwork: number): Sharer | undefined {
    const { partForMany: part } = this;
    const taken = this.byNetwork.total + this.lookUps.total;
    const free = part - taken;
    const few = Math.min(this.fewBeside(taken), part);
    const isBesideBusy = ofKey < few && taken < BESIDE_BUSY * part;
    if (ofKey >= few && ofKey >= SHARE_OF_FREE.key * free) return 'key';
    if (ofNetwork >= few && ofNetwork >= SHARE_OF_FREE.network * free && !isBesideBusy) return 'network';
    return undefined;
  }

  /**
   * Whether another key of the network may be looked up. It may have about as many such requests as there are free places:
   * half of those that others leave. Beyond that part of the limit they are among the few that all may have.
   */
  mayLookUp(network: string): boolean {
    const ofNetwork = this.lookUps.of(network);
    const free = Math.max(0, this.maxInFlight - this.inFlight);
    return ofNetwork <= free + 1 && !this.findTakenShare(0, ofNetwork + this.byNetwork.of(network));
  }

  /** One, in the second half of the rest: some dozens that come at once, with three each, would take all places. */
  private fewBeside(taken: number): number {
    const free = (this.maxInFlight - taken) / (this.maxInFlight - this.partForMany);
    if (free > 0.75) return FEW;
    return free > 0.5 ? 2 : 1;
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
