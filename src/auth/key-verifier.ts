import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { Repository } from 'typeorm';
import { ApiError, type ErrorCode } from '../api/errors.js';
import { Clock, dayOf } from '../common/clock.js';
import { Config, SERVICE_NAME } from '../common/config.js';
import { Statements } from '../database/statements.js';
import { ApiKey } from './api-key.entity.js';
import { hashKey, isKey, prefixOf } from './key-format.js';

/**
 * For how long the answer to a look-up is used before the database is asked again. If a key is revoked while it is looked
 * up, it works until that is answered, and this long after: together less than the five seconds that we promise.
 */
const BELIEVED_MS = 2_000;
const USE_RECORDED_EVERY_MS = 60_000;

@Injectable()
export class KeyVerifier {
  /** Look-ups by hash, shared by simultaneous requests. Stale ones stay, so that `isNew` knows the keys that were found. */
  private readonly lookUps = new LRUCache<string, ApiKey | false>({
    max: 10_000,
    ttl: BELIEVED_MS,
    noDeleteOnStaleGet: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (hash) => {
      const [key] = await this.statements.find(this.keys, 'WHERE hash = $1', [Buffer.from(hash, 'base64')]);
      return key ?? false;
    },
  });

  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly statements: Statements,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The valid key of a token that was looked up lately; null when only `verify` can decide. */
  findKnown(token: string): ApiKey | null {
    const key = this.lookUps.get(hashKey(token));
    if (!key || key.revokedAt || key.expiresAt.getTime() <= this.clock.now()) return null;
    this.recordUse(key);
    return key;
  }

  /** The valid key of a token, or the error for the client. */
  async verify(token: string): Promise<ApiKey> {
    const prefix = prefixOf(this.config.keyEnvironment);
    if (!token.startsWith(prefix))
      throw unauthorized('invalid_api_key', `This deployment takes keys that begin with ${prefix}.`);
    const key = isKey(token) && (await this.lookUps.fetch(hashKey(token)));
    if (!key || key.revokedAt)
      throw unauthorized('invalid_api_key', 'The API key is not valid. Send it as "Authorization: Bearer <API_KEY>".');
    if (key.expiresAt.getTime() <= this.clock.now())
      throw unauthorized('expired_api_key', `The API key expired on ${dayOf(key.expiresAt)}. Ask for a new one.`);
    this.recordUse(key);
    return key;
  }

  /** Whether a token has the form of a key, and is none of those that were looked up and found, however long ago. */
  isNew(token: string): boolean {
    const isPossible = token.startsWith(prefixOf(this.config.keyEnvironment)) && isKey(token);
    return isPossible && !this.lookUps.peek(hashKey(token), { allowStale: true });
  }

  /** Records a use in the background, at most once a minute for each key. A failure is ignored: it harms no request. */
  private recordUse(key: ApiKey): void {
    const now = this.clock.now();
    if (now - (key.lastUsedAt?.getTime() ?? 0) < USE_RECORDED_EVERY_MS) return;
    key.lastUsedAt = new Date(now);
    this.keys.update({ id: key.id }, { lastUsedAt: key.lastUsedAt }).catch(() => {});
  }
}

/** A 401 with its WWW-Authenticate header, which has an `error` only if a credential was sent (RFC 6750). */
export function unauthorized(code: `${string}_api_key` & ErrorCode, message: string): ApiError {
  const reason = code === 'missing_api_key' ? '' : ', error="invalid_token"';
  return new ApiError(code, message, { 'www-authenticate': `Bearer realm="${SERVICE_NAME}"${reason}` });
}
