import { Allowance } from '../rate-limit/allowance.js';
import { FixedWindows } from '../rate-limit/fixed-windows.js';
import type { RateLimiter } from '../rate-limit/rate-limiter.js';

const SECOND_MS = 1_000;
/** Look-ups per second for a network that has exceeded its failures. */
const EXTRA_LOOK_UPS = 5;
/** Look-ups of all networks that found nothing. Beyond these, keys are looked up only for networks that have none. */
export const MOST_PER_SECOND = 2_000;

/**
 * Protects the database from floods of made-up keys, as each well-formed one costs a look-up. Clients that share their
 * network with an attacker have the extra look-ups. Networks that are ever new are only held up by the number of look-ups
 * at a time.
 */
export class FailedCredentials {
  private readonly extraLookUps = new FixedWindows(SECOND_MS);
  private readonly ofNetworks = new FixedWindows(SECOND_MS);
  private readonly ofAll = new FixedWindows(SECOND_MS, 1);

  constructor(private readonly perMinute: Pick<RateLimiter, 'findExhausted' | 'take'>) {}

  /** Throws 429 when the network may not try another key. */
  limit(network: string): void {
    const now = performance.now();
    const exhausted = this.perMinute.findExhausted(network);
    if (exhausted && this.extraLookUps.count(network, now).count > EXTRA_LOOK_UPS)
      exhausted.throwIfExceeded();
    const all = this.ofAll.peek('', now);
    if (all && all.count >= MOST_PER_SECOND && this.ofNetworks.peek(network, now))
      new Allowance(-1, all.endsAt - now).throwIfExceeded();
  }

  /** Counts a failure. Throws 429 in its place when the network has exceeded its limit. */
  async count(network: string, wasLookedUp: boolean): Promise<void> {
    const now = performance.now();
    if (wasLookedUp) {
      this.ofAll.count('', now);
      this.ofNetworks.count(network, now);
    }
    (await this.perMinute.take(network))?.throwIfExceeded();
  }
}
