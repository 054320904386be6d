import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, DAY_MS } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiKey } from './api-key.entity.js';
import { generateKey, hashKey, hintOfKey, kindOfKey } from './key-format.js';
import { KeysRepository, type NewKey } from './keys.repository.js';

const DEFAULT_LIFE_MS = 365 * DAY_MS;
/** How long the database's word on a key holds, and so how long a revocation may take. */
const KNOWN_MS = 2_000;
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

  /**
   * What the database said of a hash, also that there is no such key, for two seconds: a revocation takes effect
   * within that time, and requests that ask at the same moment share one statement.
   */
  private readonly known = new LRUCache<string, { key: ApiKey | null }>({
    max: 10_000,
    ttl: KNOWN_MS,
    fetchMethod: async (hash) => {
      this.misses++;
      return { key: await this.repository.findByHash(Buffer.from(hash, 'base64')) };
    },
  });
  /**
   * The hashes of valid tokens that were just sent: a client sends the same one again and again, and to hash it takes
   * longer than everything else about it. They say nothing of a key. No token is kept for longer than two seconds.
   */
  private hashes = new Map<string, string>();
  private lookUps = 0;
  private misses = 0;
  private readonly lastUse = new LRUCache<bigint, number>({ max: 10_000 });

  constructor(
    private readonly repository: KeysRepository,
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.total('api_key_cache_misses_total', 'Keys that the database was asked for.', () => this.misses);
    metrics.total(
      'api_key_cache_hits_total',
      'Keys that were known, or being asked for already.',
      () => this.lookUps - this.misses,
    );
  }

  /** The key that a token is, when that is known without asking the database and there is nothing against it. */
  recall(token: string): ApiKey | undefined {
    const remembered = this.hashes.get(token);
    const hash = remembered ?? hashKey(token);
    const key = this.known.get(hash)?.key;
    const now = this.clock.now();
    if (!key || key.revokedAt || key.expiresAt.getTime() <= now.getTime()) return undefined;
    if (remembered === undefined) this.rememberHash(token, hash);
    this.lookUps++;
    this.recordUse(key, now);
    return key;
  }

  /** The key that a token is; throws the refusal otherwise. */
  async verify(token: string): Promise<ApiKey> {
    const kind = kindOfKey(token);
    if (kind !== this.config.keyKind) throw this.wrongKey(kind !== undefined);
    this.lookUps++;
    const key = (await this.known.fetch(hashKey(token)))?.key;
    if (!key || key.revokedAt) throw this.wrongKey(false);
    const now = this.clock.now();
    if (key.expiresAt <= now) throw expired(key);
    this.recordUse(key, now);
    return key;
  }

  async issue({ name, owner, note, lifeMs = DEFAULT_LIFE_MS }: IssueRequest): Promise<IssuedKey> {
    const { key, row } = this.make({ name, owner: owner ?? null, note: note ?? null }, lifeMs);
    return { id: await this.repository.insert(row), key, name, expiresAt: row.expiresAt };
  }

  /** Issues a successor. The old key keeps working for the overlap, or until it would have expired anyway. */
  async rotate(id: bigint, overlapMs: number, lifeMs?: number): Promise<IssuedKey | undefined> {
    const old = await this.repository.findById(id);
    const now = this.clock.now();
    if (!old || old.revokedAt || old.expiresAt <= now) return undefined;
    const { key, row } = this.make(old, lifeMs ?? old.expiresAt.getTime() - old.createdAt.getTime());
    const oldExpiresAt = new Date(Math.min(old.expiresAt.getTime(), now.getTime() + overlapMs));
    const newId = await this.repository.rotate(id, oldExpiresAt, row);
    return { id: newId, key, name: old.name, expiresAt: row.expiresAt };
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
