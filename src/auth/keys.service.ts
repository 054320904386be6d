import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { Clock, DAY_MS } from '../common/clock.js';
import { Config } from '../common/config.js';
import { ApiKey } from './api-key.entity.js';
import { generateKey, hashKey, hintOfKey } from './key-format.js';

const DEFAULT_LIFE_MS = 365 * DAY_MS;

interface IssueRequest extends Pick<ApiKey, 'name'>, Partial<Pick<ApiKey, 'owner' | 'note' | 'originId' | 'readOnly'>> {
  readonly lifeMs?: number | undefined;
}

/** A new key. Only its hash is stored, so this is the only copy of the key itself. */
export type IssuedKey = Pick<ApiKey, 'id' | 'name' | 'readOnly' | 'expiresAt'> & { readonly key: string };

@Injectable()
export class KeysService {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async issue(request: IssueRequest, manager = this.keys.manager): Promise<IssuedKey> {
    const { name, owner = null, note = null, originId = null, readOnly = false, lifeMs = DEFAULT_LIFE_MS } = request;
    const key = generateKey(this.config.keyEnvironment);
    const hash = Buffer.from(hashKey(key), 'base64');
    const createdAt = new Date(this.clock.now());
    const expiresAt = new Date(createdAt.getTime() + lifeMs);
    const row = { name, owner, note, originId, readOnly, hash, hint: hintOfKey(key), createdAt, expiresAt };
    const { id } = await manager.save(ApiKey, row);
    return { id, key, name, readOnly, expiresAt };
  }

  /**
   * Issues a successor, by default with the lifetime of the old key. The old key keeps working for the overlap, but not
   * beyond its expiry. Returns undefined when the old key does not exist or no longer works.
   */
  rotate(id: bigint, overlapMs: number, lifeMs?: number): Promise<IssuedKey | undefined> {
    return this.keys.manager.transaction(async (manager) => {
      const now = this.clock.now();
      const where = { id, revokedAt: IsNull(), expiresAt: MoreThan(new Date(now)) };
      // With the lock, the shorter overlap of two simultaneous rotations counts. Without it, that of the later one would.
      const old = await manager.findOne(ApiKey, { where, lock: { mode: 'pessimistic_write' } });
      if (!old) return undefined;
      const originId = old.originId ?? id;
      // An earlier rotation may have shortened the life of the old key, so those of its successors count, too.
      const successors = await manager.findBy(ApiKey, { originId, id: MoreThan(id) });
      const lives = [old, ...successors].map((each) => each.expiresAt.getTime() - each.createdAt.getTime());
      const expiresAt = new Date(Math.min(old.expiresAt.getTime(), now + overlapMs));
      await manager.update(ApiKey, { id }, { expiresAt });
      return this.issue({ ...old, originId, lifeMs: lifeMs ?? Math.max(...lives) }, manager);
    });
  }

  list(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  /** Returns false when the key does not exist or is revoked already. */
  async revoke(id: bigint): Promise<boolean> {
    const revokedAt = new Date(this.clock.now());
    return (await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt })).affected === 1;
  }

  /** Deletes keys that expired or were revoked at least this long ago, and returns their number. */
  async prune(olderThanMs: number): Promise<number> {
    const before = LessThan(new Date(this.clock.now() - olderThanMs));
    return (await this.keys.delete([{ expiresAt: before }, { revokedAt: before }])).affected ?? 0;
  }
}
