import { NoRoom } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import type { LoadMonitor, Sharer } from './load-monitor.js';

/** What a request counts for: its key, and the network of its client. */
export class Shares {
  private isCounted = false;

  constructor(
    readonly keyLoad: KeyLoad,
    private readonly network: string,
    private readonly load: LoadMonitor,
  ) {}

  /** Counts the request, once. */
  take(): void {
    if (this.isCounted) return;
    this.requireRoom();
    this.isCounted = true;
    this.keyLoad.inFlight++;
    this.load.byNetwork.add(this.network);
  }

  /** Refuses the request when the key or the network has its share. */
  requireRoom(): void {
    const { load, keyLoad, network } = this;
    const taken = load.findTakenShare(keyLoad.inFlight, load.byNetwork.of(network));
    if (taken) throw beyondShare(taken);
  }

  end(): void {
    if (!this.isCounted) return;
    this.isCounted = false;
    this.keyLoad.inFlight--;
    this.load.byNetwork.remove(this.network);
  }
}

export function beyondShare(sharer: Sharer): Error {
  return new NoRoom(`Too many requests of this ${sharer} are under way. Try again in a second.`);
}
