import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, DAY_MS } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiKey } from './api-key.entity.js';
import { generateKey, hashKey, hintOfKey, kindOfKey } from './key-format.js';
import { KeysRepository, type NewKey } from './keys.repository.js';
import { KNOWN_MS, type KnownKey, KnownKeys, MOST_KNOWN } from './known-keys.js';

const DEFAULT_LIFE_MS = 365 * DAY_MS;
const USE_RECORDED_EVERY_MS = 60_000;

export interface IssueRequest {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly note?: string | undefined;
  readonly lifeMs?: number | undefined;
}

/** A key as it is issued: the only time that it is seen, since what is stored cannot be turned back into it. */
export interface IssuedKey {
  readonly id: bigint;
  readonly key: string;
  readonly name: string;
  readonly expiresAt: Date;
}

/** Issues, checks, rotates and revokes API keys. */
@Injectable()
export class KeysService {
  private readonly logger = new Logger('KeysService');

  private readonly known: KnownKeys;
  /**
   * The hashes of valid tokens that were just sent: a client sends the same one again and again, and to hash it takes
   * longer than everything else about it. They say nothing of a key. No token is kept for longer than two seconds.
   */
  private hashes = new Map<string, string>();
  private readonly lastUse = new LRUCache<bigint, number>({ max: MOST_KNOWN });

  constructor(
    private readonly repository: KeysRepository,
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const known = new KnownKeys((hash) => this.repository.findByHash(hash));
    this.known = known;
    metrics.total('api_key_cache_misses_total', 'Keys that the database was asked for.', () => known.misses);
    metrics.total(
      'api_key_cache_hits_total',
      'Keys that were known, or being asked for already.',
      () => known.hits,
    );
  }

  /** The key that a token is, when that is known without asking the database and there is nothing against it. */
  recall(token: string): KnownKey | undefined {
    const remembered = this.hashes.get(token);
    const hash = remembered ?? hashKey(token);
    const key = this.known.recall(hash);
    const now = this.clock.now();
    if (!key || key.revokedAt || key.expiresAt.getTime() <= now.getTime()) return undefined;
    if (remembered === undefined) this.rememberHash(token, hash);
    this.known.hits++;
    this.recordUse(key, now);
    return key;
  }

  /** The key that a token is; throws the refusal otherwise. */
  async verify(token: string): Promise<KnownKey> {
    const kind = kindOfKey(token);
    if (kind !== this.config.keyKind) throw this.wrongKey(kind !== undefined);
    const key = await this.known.find(hashKey(token));
    if (!key || key.revokedAt) throw this.wrongKey(false);
    const now = this.clock.now();
    if (key.expiresAt <= now) throw expired(key);
    this.recordUse(key, now);
    return key;
  }

  /** Whether the database had this key when it was last asked, however long ago. */
  isFamiliar(token: string): boolean {
    return this.known.isFamiliar(hashKey(token));
  }

  async issue({ name, owner, note, lifeMs = DEFAULT_LIFE_MS }: IssueRequest): Promise<IssuedKey> {
    const { key, row } = this.make({ name, owner: owner ?? null, note: note ?? null }, lifeMs);
    return { id: await this.repository.insert(row), key, name, expiresAt: row.expiresAt };
  }

  /**
   * Issues a successor with the life of the old key, which keeps working for the overlap, or until it would have expired
   * anyway. `undefined` when there is no such key or it works no longer.
   */
  async rotate(id: bigint, overlapMs: number, lifeMs?: number): Promise<IssuedKey | undefined> {
    const old = await this.repository.findById(id);
    if (!old) return undefined;
    const now = this.clock.now();
    const { key, row } = this.make(old, lifeMs ?? old.expiresAt.getTime() - old.createdAt.getTime());
    const newId = await this.repository.rotate(id, now, new Date(now.getTime() + overlapMs), row);
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

  /** Whether the key still worked. */
  revoke(id: bigint): Promise<boolean> {
    return this.repository.revoke(id, this.clock.now());
  }

  /** Forgets keys that stopped working at least so long ago. */
  prune(olderThanMs: number): Promise<number> {
    return this.repository.deleteEndedBefore(new Date(this.clock.now().getTime() - olderThanMs));
  }

  private make(about: Pick<NewKey, 'name' | 'owner' | 'note'>, lifeMs: number): { key: string; row: NewKey } {
    const key = generateKey(this.config.keyKind);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifeMs);
    const { name, owner, note } = about;
    return {
      key,
      row: {
        name,
        owner,
        note,
        hash: Buffer.from(hashKey(key), 'base64'),
        hint: hintOfKey(key),
        createdAt,
        expiresAt,
      },
    };
  }

  private rememberHash(token: string, hash: string): void {
    if (this.hashes.size === 0) setTimeout(() => (this.hashes = new Map()), KNOWN_MS).unref();
    this.hashes.set(token, hash);
  }

  private wrongKey(wellFormed: boolean): ApiError {
    return new ApiError(
      'invalid_api_key',
      wellFormed
        ? `This deployment takes keys that begin with pets_${this.config.keyKind}_.`
        : 'The API key is not valid. Send it as "Authorization: Bearer <API_KEY>".',
    );
  }

  /** Written beside the request, not on its way, and at most once a minute for each key. */
  private recordUse({ id }: ApiKey, now: Date): void {
    if (now.getTime() - (this.lastUse.get(id) ?? 0) < USE_RECORDED_EVERY_MS) return;
    this.lastUse.set(id, now.getTime());
    const notSince = new Date(now.getTime() - USE_RECORDED_EVERY_MS);
    this.repository.markUsed(id, now, notSince).catch((error: unknown) => {
      this.logger.warn(`The use of key ${id} was not recorded: ${String(error)}`);
    });
  }
}

function expired({ expiresAt }: ApiKey): ApiError {
  const day = expiresAt.toISOString().slice(0, 10);
  return new ApiError('expired_api_key', `The API key expired on ${day}. Ask for a new one.`);
}
