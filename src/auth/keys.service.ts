import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../api/errors.js';
import { Clock, DAY_MS, dayOf } from '../common/clock.js';
import { Config } from '../common/config.js';
import { Metrics } from '../common/metrics.js';
import type { ApiKey } from './api-key.entity.js';
import { environmentOfKey, generateKey, hashKey, hintOfKey, keyPrefixOf } from './key-format.js';
import { KeysRepository, type NewKey } from './keys.repository.js';

/** How long a look-up is believed, which bounds the time that a revocation takes. */
const BELIEVED_MS = 2_000;
const MOST_KEYS = 10_000;
const USE_RECORDED_EVERY_MS = 60_000;
const DEFAULT_LIFE_MS = 365 * DAY_MS;
/** The last day that has four digits in its year. */
const FARTHEST_MS = Date.parse('9999-12-31T00:00:00Z');

export interface IssueRequest {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly note?: string | undefined;
  readonly lifeMs?: number | undefined;
}

/** A new key. Only its hash is stored, so this is the only copy of the key itself. */
export interface IssuedKey {
  readonly id: bigint;
  readonly key: string;
  readonly name: string;
  readonly expiresAt: Date;
}

/** Issues, verifies, rotates and revokes API keys. */
@Injectable()
export class KeysService {
  /** By hash. Requests with the same key share a look-up. */
  private readonly lookUps = new LRUCache<string, { key: ApiKey | null }>({
    max: MOST_KEYS,
    ttl: BELIEVED_MS,
    fetchMethod: async (hash) => {
      this.misses++;
      return { key: await this.repository.findByHash(Buffer.from(hash, 'base64')) };
    },
  });
  /** Hashes that were valid once. */
  private readonly seen = new LRUCache<string, true>({ max: MOST_KEYS });
  private readonly lastUses = new LRUCache<bigint, number>({ max: MOST_KEYS });
  private hits = 0;
  private misses = 0;

  constructor(
    private readonly repository: KeysRepository,
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.total('api_key_cache_hits_total', 'Keys found in the cache.', () => this.hits);
    metrics.total('api_key_cache_misses_total', 'Look-ups of keys in the database.', () => this.misses);
  }

  /** The valid key of a token that was looked up lately; undefined when only `verify` can tell. */
  findKnown(token: string): ApiKey | undefined {
    const key = this.lookUps.get(hashKey(token))?.key;
    const now = this.clock.now();
    if (!key || key.revokedAt || key.expiresAt.getTime() <= now) return undefined;
    this.hits++;
    this.recordUse(key.id, now);
    return key;
  }

  /** The key of a token, or the error for the client. */
  async verify(token: string): Promise<ApiKey> {
    const kind = environmentOfKey(token);
    if (kind !== this.config.keyEnvironment) throw this.wrongKey(kind !== undefined);
    const hash = hashKey(token);
    const { key } = (await this.lookUps.fetch(hash))!;
    if (!key || key.revokedAt) throw this.wrongKey(false);
    this.seen.set(hash, true);
    const now = this.clock.now();
    if (key.expiresAt.getTime() <= now) throw expired(key);
    this.recordUse(key.id, now);
    return key;
  }

  /** Tells whether the key of a token has been valid. */
  hasSeen(token: string): boolean {
    return this.seen.has(hashKey(token));
  }

  async issue({ name, owner, note, lifeMs = DEFAULT_LIFE_MS }: IssueRequest): Promise<IssuedKey> {
    const labels = { name, owner: owner ?? null, note: note ?? null, originId: null };
    const { key, row } = this.generate(labels, lifeMs);
    return { id: await this.repository.insert(row), key, name, expiresAt: row.expiresAt };
  }

  /**
   * Issues a successor, by default with the lifetime that the old key had before it was rotated. The old key keeps working
   * for the overlap, but not beyond its expiry. Undefined when the old key does not exist or no longer works.
   */
  async rotate(id: bigint, overlapMs: number, lifeMs?: number): Promise<IssuedKey | undefined> {
    const old = await this.repository.findById(id);
    if (!old) return undefined;
    const originId = old.originId ?? id;
    const life = lifeMs ?? longestLife([old, ...(await this.repository.findLater(originId, id))]);
    const { key, row } = this.generate({ ...old, originId }, life);
    const now = this.clock.now();
    const newId = await this.repository.rotate(id, new Date(now), new Date(now + overlapMs), row);
    return newId === undefined ? undefined : { id: newId, key, name: old.name, expiresAt: row.expiresAt };
  }

  list(): Promise<ApiKey[]> {
    return this.repository.findAll();
  }

  find(id: bigint): Promise<ApiKey | null> {
    return this.repository.findById(id);
  }

  hasAny(): Promise<boolean> {
    return this.repository.exists();
  }

  /** The working keys of this name, such as the successors of a rotated key. */
  async findWorking(name: string): Promise<bigint[]> {
    const keys = await this.repository.findWorking(name, new Date(this.clock.now()));
    return keys.map(({ id }) => id);
  }

  /** False when the key does not exist or is revoked already. */
  revoke(id: bigint): Promise<boolean> {
    return this.repository.revoke(id, new Date(this.clock.now()));
  }

  /** Deletes keys that expired or were revoked at least this long ago, and returns their number. */
  prune(olderThanMs: number): Promise<number> {
    return this.repository.deleteEndedBefore(new Date(this.clock.now() - olderThanMs));
  }

  private generate(
    { name, owner, note, originId }: Pick<NewKey, 'name' | 'owner' | 'note' | 'originId'>,
    lifeMs: number,
  ): { key: string; row: NewKey } {
    const key = generateKey(this.config.keyEnvironment);
    const hash = Buffer.from(hashKey(key), 'base64');
    const createdAt = new Date(this.clock.now());
    const expiresAt = new Date(Math.min(createdAt.getTime() + lifeMs, FARTHEST_MS));
    return { key, row: { name, owner, note, originId, hash, hint: hintOfKey(key), createdAt, expiresAt } };
  }

  private wrongKey(isOfOtherEnvironment: boolean): ApiError {
    return new ApiError(
      'invalid_api_key',
      isOfOtherEnvironment
        ? `This deployment takes keys that begin with ${keyPrefixOf(this.config.keyEnvironment)}.`
        : 'The API key is not valid. Send it as "Authorization: Bearer <API_KEY>".',
    );
  }

  /** In the background, at most once a minute for each key. A use that cannot be recorded is not missed. */
  private recordUse(id: bigint, now: number): void {
    // In both directions, since the clock may be set back.
    if (Math.abs(now - (this.lastUses.get(id) ?? 0)) < USE_RECORDED_EVERY_MS) return;
    this.lastUses.set(id, now);
    this.repository.markUsed(id, new Date(now)).catch(() => {});
  }
}

/** The first rotation shortened the life of the key, but not that of its successor. */
function longestLife(keys: readonly ApiKey[]): number {
  return Math.max(...keys.map(({ createdAt, expiresAt }) => expiresAt.getTime() - createdAt.getTime()));
}

function expired({ expiresAt }: ApiKey): ApiError {
  return new ApiError('expired_api_key', `The API key expired on ${dayOf(expiresAt)}. Ask for a new one.`);
}
