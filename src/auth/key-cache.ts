import { LRUCache } from 'lru-cache';
import type { Caller, KeyLoad } from '../common/exchange.js';
import { printable } from '../common/printable.js';
import type { ApiKey } from './api-key.entity.js';

/** How long a look-up is valid, which bounds the time that a revocation takes. */
export const CACHE_MS = 2_000;
export const MAX_CACHED = 10_000;

export type CachedKey = ApiKey & Caller;

/** Caches look-ups of keys by their hash. */
export class KeyCache {
  /** Keys that were found. After two seconds an entry no longer serves requests, but still exempts its key. */
  private readonly found = new LRUCache<string, CachedKey>({
    max: MAX_CACHED,
    ttl: CACHE_MS,
    noDeleteOnStaleGet: true,
  });
  /** Hashes that were not found. A cache of their own, or made-up keys would evict real ones. */
  private readonly missing = new LRUCache<string, true>({ max: 1_000, ttl: CACHE_MS });
  /** By the first key of a rotation: a key and its successors have one share. */
  private readonly loads = new LRUCache<bigint, KeyLoad>({ max: MAX_CACHED });
  /** Look-ups under way, which concurrent requests with the same key share. */
  private readonly pending = new Map<string, Promise<CachedKey | null>>();
  hits = 0;
  misses = 0;

  constructor(private readonly findInDatabase: (hash: Buffer, wasSeen: boolean) => Promise<ApiKey | null>) {}

  /** Returns the key if it was found within the last two seconds. */
  get(hash: string): CachedKey | undefined {
    return this.found.get(hash);
  }

  /** Tells whether the latest look-up of the key, however long ago, found it. */
  hasSeen(hash: string): boolean {
    return this.lastLoadOf(hash) !== undefined;
  }

  lastLoadOf(hash: string): KeyLoad | undefined {
    return this.found.peek(hash, { allowStale: true })?.load;
  }

  /** Tells whether only the database knows if there is such a key. */
  isUnknown(hash: string): boolean {
    return !this.hasSeen(hash) && !this.missing.has(hash);
  }

  /** Returns the key from the cache or the database. */
  async find(hash: string): Promise<CachedKey | null> {
    const cached = this.found.get(hash) ?? (this.missing.has(hash) ? null : this.pending.get(hash));
    if (cached !== undefined) {
      this.hits++;
      return cached;
    }
    return this.lookUp(hash);
  }

  private lookUp(hash: string): Promise<CachedKey | null> {
    this.misses++;
    const pending = this.findInDatabase(Buffer.from(hash, 'base64'), this.hasSeen(hash))
      .then((key) => this.remember(hash, key))
      .finally(() => this.pending.delete(hash));
    this.pending.set(hash, pending);
    return pending;
  }

  private remember(hash: string, stored: ApiKey | null): CachedKey | null {
    if (!stored) {
      this.found.delete(hash);
      this.missing.set(hash, true);
      return null;
    }
    // The name goes into logs, which are read in terminals.
    const name = printable(stored.name);
    const load = this.loadOf(stored.originId ?? stored.id, this.lastLoadOf(hash));
    const key = { ...stored, name, load };
    this.found.set(hash, key);
    return key;
  }

  /** Requests in flight hold the counter of an earlier look-up. */
  private loadOf(originId: bigint, last: KeyLoad | undefined): KeyLoad {
    const load = this.loads.get(originId) ?? last ?? { inFlight: 0 };
    this.loads.set(originId, load);
    return load;
  }
}
