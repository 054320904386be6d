import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { ApiError } from '../common/errors/api-error.js';
import type { ApiKey } from './api-key.entity.js';
import { generateKey, hashKey, hintOfKey, kindOfKey } from './key-format.js';
import { KeysRepository } from './keys.repository.js';

export const DAY_MS = 24 * 60 * 60 * 1000;
const USE_RECORDED_EVERY_MS = 60_000;

/** Issues, checks and revokes API keys. */
@Injectable()
export class KeysService {
  private readonly logger = new Logger(KeysService.name);

  /** What the database said of a hash, for two seconds: a revocation takes effect within that time. */
  private readonly known = new LRUCache<string, { key: ApiKey | null }>({
    max: 10_000,
    ttl: 2_000,
    fetchMethod: async (_, __, { context }) => ({ key: await this.repository.findByHash(context as Buffer) }),
  });
  private readonly lastUse = new LRUCache<bigint, number>({ max: 10_000 });

  constructor(
    private readonly repository: KeysRepository,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The key that a token is; throws the refusal otherwise. */
  async verify(token: string): Promise<ApiKey> {
    const kind = kindOfKey(token);
    if (kind !== this.config.keyKind) throw this.wrongKey(kind !== undefined);
    const hash = hashKey(token);
    const answer = await this.known.fetch(hash.toString('base64'), { context: hash });
    const key = answer?.key;
    if (!key || key.revokedAt) throw this.wrongKey(false);
    const now = this.clock.now();
    if (key.expiresAt <= now) {
      throw new ApiError(
        'expired_api_key',
        `The API key expired on ${key.expiresAt.toISOString().slice(0, 10)}. Ask for a new one.`,
      );
    }
    this.recordUse(key, now);
    return key;
  }

  /** Makes a key. This is the only time that it is seen: what is stored cannot be turned back into it. */
  async issue(name: string, lifeMs = 365 * DAY_MS): Promise<{ key: string; expiresAt: Date }> {
    const key = generateKey(this.config.keyKind);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifeMs);
    await this.repository.insert({ name, hash: hashKey(key), hint: hintOfKey(key), createdAt, expiresAt });
    return { key, expiresAt };
  }

  list(): Promise<ApiKey[]> {
    return this.repository.findAll();
  }

  async hasAny(): Promise<boolean> {
    return this.repository.exists();
  }

  revoke(id: bigint): Promise<boolean> {
    return this.repository.revoke(id, this.clock.now());
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
    this.repository.markUsed(id, now).catch((error: unknown) => {
      this.logger.warn(`The use of key ${id} was not recorded: ${String(error)}`);
    });
  }
}
