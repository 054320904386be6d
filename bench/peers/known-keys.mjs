import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The check of API keys, as in the service: by SHA-256, and believed for two seconds. `find` resolves to a row or nothing. */
export class KnownKeys {
  #known;

  constructor(find) {
    const fetchMethod = (hash) => find(Buffer.from(hash, 'base64'));
    this.#known = new LRUCache({ max: 10_000, ttl: 2_000, fetchMethod });
  }

  /** Resolves to the row of a valid key, otherwise to undefined. */
  async verify(token) {
    const hash = createHash('sha256').update(token).digest('base64');
    const row = this.#known.get(hash) ?? (await this.#known.fetch(hash));
    return row && !row.revoked_at && row.expires_at > new Date() ? row : undefined;
  }
}
