import { createHash } from 'node:crypto';

const REMEMBERED_MS = 2_000;

/** The check of API keys, as in the service: by SHA-256, and believed for two seconds. `find` resolves to a row or nothing. */
export class KnownKeys {
  #known = new Map();
  #find;

  constructor(find) {
    this.#find = find;
  }

  /** Resolves to the row of a valid key, otherwise to undefined. */
  async verify(token) {
    const hash = createHash('sha256').update(token).digest();
    const name = hash.toString('base64');
    let entry = this.#known.get(name);
    if (!entry || entry.until < Date.now()) {
      entry = { until: Date.now() + REMEMBERED_MS, row: this.#find(hash) };
      entry.row.catch(() => this.#known.delete(name));
      if (this.#known.size >= 10_000) this.#known.clear();
      this.#known.set(name, entry);
    }
    const row = await entry.row;
    return row && !row.revoked_at && row.expires_at > new Date() ? row : undefined;
  }
}
