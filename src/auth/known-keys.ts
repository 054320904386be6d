import { LRUCache } from 'lru-cache';
import type { Caller } from '../common/exchange.js';
import { printable } from '../common/printable.js';
import { Allowance } from '../rate-limit/allowance.js';
import { Windows } from '../rate-limit/windows.js';
import type { ApiKey } from './api-key.entity.js';

/** How long the database's word on a key holds, and so how long a revocation may take. */
export const KNOWN_MS = 2_000;
export const MOST_KNOWN = 10_000;
/** How many look-ups a second may find nothing, from however many addresses; familiar keys are looked up all the same. */
const MOST_UNKNOWN_A_SECOND = 2_000;

export type KnownKey = ApiKey & Caller;

/** What the database said of keys lately, by their hash, and the bound on what is asked of it. */
export class KnownKeys {
  /**
   * The keys that the database has. For two seconds its word holds. After that they are only familiar: still looked up
   * when look-ups of other keys are refused.
   */
  private readonly known = new LRUCache<string, KnownKey>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    noDeleteOnStaleGet: true,
  });
  /** Hashes that the database does not have: apart from the others, so that made-up keys push no real one out. */
  private readonly unknown = new LRUCache<string, true>({ max: 1_000, ttl: KNOWN_MS });
  /** Look-ups under way: requests that ask for the same key at the same moment share one. */
  private readonly asking = new Map<string, Promise<KnownKey | null>>();
  private readonly unknownASecond = new Windows(1_000, 1);
  hits = 0;
  misses = 0;

  constructor(private readonly ask: (hash: Buffer) => Promise<ApiKey | null>) {}

  /** The key, when the database's word on it still holds. */
  recall(hash: string): KnownKey | undefined {
    return this.known.get(hash);
  }

  /** Whether the database had this key when it was last asked, however long ago. */
  isFamiliar(hash: string): boolean {
    return this.known.peek(hash, { allowStale: true }) !== undefined;
  }

  /** The key, from memory or from the database; null when there is none. Throws 429 when too many are looked up in vain. */
  async find(hash: string): Promise<KnownKey | null> {
    const known = this.known.get(hash) ?? (this.unknown.has(hash) ? null : this.asking.get(hash));
    if (known !== undefined) {
      this.hits++;
      return known;
    }
    if (!this.isFamiliar(hash)) this.requireTurn();
    return this.lookUp(hash);
  }

  private requireTurn(): void {
    const now = performance.now();
    const window = this.unknownASecond.peek('', now);
    if (window && window.count >= MOST_UNKNOWN_A_SECOND) new Allowance(-1, window.endsAt - now).require();
  }

  private lookUp(hash: string): Promise<KnownKey | null> {
    this.misses++;
    const answer = this.ask(Buffer.from(hash, 'base64'))
      .then((found) => this.remember(hash, found))
      .finally(() => this.asking.delete(hash));
    this.asking.set(hash, answer);
    return answer;
  }

  private remember(hash: string, found: ApiKey | null): KnownKey | null {
    if (!found) {
      this.known.delete(hash);
      this.unknown.set(hash, true);
      this.unknownASecond.count('', performance.now());
      return null;
    }
    // From here the name goes into logs, which are read in terminals.
    const name = printable(found.name);
    // Requests that are still under way hold the counter of the previous look-up.
    const underWay = this.known.peek(hash, { allowStale: true })?.underWay ?? { requests: 0 };
    const key = { ...found, name, underWay };
    this.known.set(hash, key);
    return key;
  }
}
