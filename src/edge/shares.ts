import type { KeyLoad } from '../common/exchange.js';
import type { LoadMonitor } from './load-monitor.js';
import { beyondShare } from './transaction-turns.js';

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
    if (load.isShareTaken('key', keyLoad.inFlight)) throw beyondShare('key');
    if (load.isShareTaken('network', load.byNetwork.of(network))) throw beyondShare('network');
  }

  end(): void {
    if (!this.isCounted) return;
    this.isCounted = false;
    this.keyLoad.inFlight--;
    this.load.byNetwork.remove(this.network);
  }
}
