import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { KeyLoad } from '../common/exchange.js';
import { Clock, DAY_MS, dayOf } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { FARTHEST_MS } from '../database/pg-types.js';
import { RefusalLog } from '../database/refusal-log.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiKey } from './api-key.entity.js';
import { generateKey, hashKey, hintOfKey, environmentOfKey, keyPrefixOf } from './key-format.js';
import { KeysRepository, type NewKey } from './keys.repository.js';
import { CACHE_MS, type CachedKey, KeyCache, MAX_CACHED } from './key-cache.js';

const DEFAULT_LIFE_MS = 365 * DAY_MS;
const USE_RECORDED_EVERY_MS = 60_000;

type KeyLabels = Pick<NewKey, 'name' | 'owner' | 'note'>;

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
  private readonly cache: KeyCache;
  /** Hashes of valid tokens. Hashing is the slowest part of a cached check. No token is kept longer than two seconds. */
  private hashes = new Map<string, string>();
  private readonly lastUse = new LRUCache<bigint, number>({ max: MAX_CACHED });

  constructor(
    private readonly repository: KeysRepository,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly refusals: RefusalLog,
    metrics: Metrics,
  ) {
    const cache = new KeyCache((hash, wasSeen) => this.repository.findByHash(hash, wasSeen));
    this.cache = cache;
    metrics.total('api_key_cache_misses_total', 'Look-ups of keys in the database.', () => cache.misses);
    metrics.total(
      'api_key_cache_hits_total',
      'Keys found in the cache, or looked up already.',
      () => cache.hits,
    );
  }

  /** Returns the valid key of a token without asking the database; `undefined` when only `verify` can tell. */
  findCached(token: string): CachedKey | undefined {
    const remembered = this.hashes.get(token);
    const hash = remembered ?? hashKey(token);
    const key = this.cache.get(hash);
    const now = this.clock.now();
    if (!key || key.revokedAt || key.expiresAt.getTime() <= now.getTime()) return undefined;
    if (remembered === undefined) this.rememberHash(token, hash);
    this.cache.hits++;
    this.recordUse(key, now);
    return key;
  }

  /** Returns the key of a token, or throws the error for the client. */
  async verify(token: string): Promise<CachedKey> {
    const kind = environmentOfKey(token);
    if (kind !== this.config.keyEnvironment) throw this.wrongKey(kind !== undefined);
    const key = await this.cache.find(hashKey(token));
    if (!key || key.revokedAt) throw this.wrongKey(false);
    const now = this.clock.now();
    if (key.expiresAt <= now) throw expired(key);
    this.recordUse(key, now);
    return key;
  }

  /** Tells whether the latest look-up of the key, however long ago, found it. */
  hasSeen(token: string): boolean {
    return this.cache.hasSeen(hashKey(token));
  }

  /** The load of the key, if the latest look-up of it, however long ago, found it. */
  lastLoadOf(token: string): KeyLoad | undefined {
    return this.cache.lastLoadOf(hashKey(token));
  }

  /** Tells whether only the database knows if there is such a key. */
  isUnknown(token: string): boolean {
    return environmentOfKey(token) === this.config.keyEnvironment && this.cache.isUnknown(hashKey(token));
  }

  async issue({ name, owner, note, lifeMs = DEFAULT_LIFE_MS }: IssueRequest): Promise<IssuedKey> {
    const { key, row } = this.generate({ name, owner: owner ?? null, note: note ?? null }, lifeMs);
    return { id: await this.repository.insert(row), key, name, expiresAt: row.expiresAt };
  }

  /**
   * Issues a successor, by default with the lifetime that the old key had before it was rotated. The old key keeps working
   * for the overlap, but not beyond its expiry. Returns `undefined` when the old key does not exist or no longer works.
   */
  async rotate(id: bigint, overlapMs: number, lifeMs?: number): Promise<IssuedKey | undefined> {
    const old = await this.repository.findById(id);
    if (!old) return undefined;
    const originId = old.originId ?? id;
    const life = lifeMs ?? longestLife([old, ...(await this.repository.findLater(originId, id))]);
    const now = this.clock.now();
    const { key, row } = this.generate(old, life);
    const successor = { ...row, originId };
    const newId = await this.repository.rotate(id, now, new Date(now.getTime() + overlapMs), successor);
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
    const keys = await this.repository.findWorking(name, this.clock.now());
    return keys.map(({ id }) => id);
  }

  /** Returns false when the key does not exist or is revoked already. */
  revoke(id: bigint): Promise<boolean> {
    return this.repository.revoke(id, this.clock.now());
  }

  /** Deletes keys that expired or were revoked at least this long ago, and returns their number. */
  prune(olderThanMs: number): Promise<number> {
    return this.repository.deleteEndedBefore(new Date(this.clock.now().getTime() - olderThanMs));
  }

  /** How this clock differs from the database's, in words; `undefined` when it hardly does. */
  clockDifference(): Promise<string | undefined> {
    return this.repository.clockDifference(this.clock);
  }

  private generate({ name, owner, note }: KeyLabels, lifeMs: number): { key: string; row: NewKey } {
    const key = generateKey(this.config.keyEnvironment);
    const hash = Buffer.from(hashKey(key), 'base64');
    const createdAt = this.clock.now();
    const expiresAt = new Date(Math.min(createdAt.getTime() + lifeMs, FARTHEST_MS));
    return { key, row: { name, owner, note, hash, hint: hintOfKey(key), createdAt, expiresAt } };
  }

  private rememberHash(token: string, hash: string): void {
    if (this.hashes.size === 0) setTimeout(() => (this.hashes = new Map()), CACHE_MS).unref();
    this.hashes.set(token, hash);
  }

  private wrongKey(isOtherEnvironment: boolean): ApiError {
    return new ApiError(
      'invalid_api_key',
      isOtherEnvironment
        ? `This deployment takes keys that begin with ${keyPrefixOf(this.config.keyEnvironment)}.`
        : 'The API key is not valid. Send it as "Authorization: Bearer <API_KEY>".',
    );
  }

  /** Records a use in the background, at most once a minute for each key. */
  private recordUse({ id }: ApiKey, now: Date): void {
    // In both directions, since the clock may be set back.
    if (Math.abs(now.getTime() - (this.lastUse.get(id) ?? 0)) < USE_RECORDED_EVERY_MS) return;
    this.lastUse.set(id, now.getTime());
    this.repository
      .markUsed(id, now, USE_RECORDED_EVERY_MS)
      .catch((error: unknown) => this.refusals.countUnrecorded('Uses of keys', error));
  }
}

/** The first rotation shortened the life of the key, but not that of its successor. */
function longestLife(keys: readonly ApiKey[]): number {
  return Math.max(...keys.map(({ createdAt, expiresAt }) => expiresAt.getTime() - createdAt.getTime()));
}

function expired({ expiresAt }: ApiKey): ApiError {
  return new ApiError('expired_api_key', `The API key expired on ${dayOf(expiresAt)}. Ask for a new one.`);
}
