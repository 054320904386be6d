import { unavailable } from '../api/errors/api-error.js';
import type { LoadMonitor } from './load-monitor.js';

/**
 * The requests of each network that wait for the look-up of their key. They belong to no key yet, so made-up keys of one
 * network could otherwise take all places.
 */
export class NetworkShares {
  private readonly underWay = new Map<string, number>();

  constructor(private readonly load: Pick<LoadMonitor, 'free'>) {}

  /** A network may have about as many as there are free places: half of those that others leave. */
  async run<T>(network: string, lookUp: () => Promise<T>): Promise<T> {
    const others = this.underWay.get(network) ?? 0;
    if (others > this.load.free + 1)
      throw unavailable('Too many keys of this network are being looked up. Try again in a second.');
    this.underWay.set(network, others + 1);
    try {
      return await lookUp();
    } finally {
      this.end(network);
    }
  }

  private end(network: string): void {
    const others = (this.underWay.get(network) ?? 1) - 1;
    if (others > 0) this.underWay.set(network, others);
    else this.underWay.delete(network);
  }
}
