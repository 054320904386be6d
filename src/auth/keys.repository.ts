import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { type BatchedRepository, InjectBatched } from '../database/batching/batched-repository.js';
import { ApiKey } from './api-key.entity.js';

export type NewKey = Pick<ApiKey, 'name' | 'owner' | 'note' | 'hash' | 'hint' | 'createdAt' | 'expiresAt'>;

/** Every statement on API keys. */
@Injectable()
export class KeysRepository {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    @InjectBatched(ApiKey) private readonly batched: BatchedRepository<ApiKey>,
  ) {}

  /** On the way of every request whose key is not remembered. */
  findByHash(hash: Buffer): Promise<ApiKey | null> {
    return this.batched.findOneBy({ hash });
  }

  findById(id: bigint): Promise<ApiKey | null> {
    return this.keys.findOneBy({ id });
  }

  findAll(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  exists(): Promise<boolean> {
    return this.keys.exists();
  }

  async insert(key: NewKey): Promise<bigint> {
    const { identifiers } = await this.keys.insert(key);
    return identifiers[0]?.['id'] as bigint;
  }

  /**
   * Stores a successor of a key that still works, and shortens the life of the old one, in one transaction. The update
   * decides: it waits for a revocation under way, and when it then finds no working key, no successor is stored.
   */
  rotate(id: bigint, now: Date, oldExpiresAt: Date, successor: NewKey): Promise<bigint | undefined> {
    return this.keys.manager.transaction(async (transaction) => {
      const { affected } = await transaction
        .createQueryBuilder()
        .update(ApiKey)
        .set({ expiresAt: () => 'LEAST(expires_at, :oldExpiresAt)' })
        .where({ id, revokedAt: IsNull(), expiresAt: MoreThan(now) })
        .setParameter('oldExpiresAt', oldExpiresAt)
        .execute();
      if (affected !== 1) return undefined;
      const { identifiers } = await transaction.insert(ApiKey, successor);
      return identifiers[0]?.['id'] as bigint;
    });
  }

  /** Whether there was such a key, not revoked before. */
  async revoke(id: bigint, revokedAt: Date): Promise<boolean> {
    const { affected } = await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt });
    return affected === 1;
  }

  /** Removes keys that stopped working before an instant; returns how many. */
  async deleteEndedBefore(instant: Date): Promise<number> {
    const { affected } = await this.keys.delete([
      { expiresAt: LessThan(instant) },
      { revokedAt: LessThan(instant) },
    ]);
    return affected ?? 0;
  }

  /** Does nothing when the use was recorded since `notSince`, by this process or another. */
  async markUsed(id: bigint, lastUsedAt: Date, notSince: Date): Promise<void> {
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(notSince) },
      ],
      { lastUsedAt },
    );
  }
}
