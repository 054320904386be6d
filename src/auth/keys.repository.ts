import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { Statements } from '../database/statements.js';
import { Transactions } from '../database/transactions.js';
import { ApiKey } from './api-key.entity.js';

export type NewKey = Omit<ApiKey, 'id' | 'revokedAt' | 'lastUsedAt'>;

/** The database access of keys. */
@Injectable()
export class KeysRepository {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly statements: Statements,
    private readonly transactions: Transactions,
  ) {}

  findByHash(hash: Buffer): Promise<ApiKey | null> {
    return this.statements.findOne(this.keys, { hash });
  }

  findById(id: bigint): Promise<ApiKey | null> {
    return this.keys.findOneBy({ id });
  }

  findAll(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  findWorking(name: string, now: Date): Promise<ApiKey[]> {
    return this.keys.find({
      where: { name, revokedAt: IsNull(), expiresAt: MoreThan(now) },
      order: { id: 'ASC' },
    });
  }

  /** The keys of a series of rotations that are younger than this one. */
  findLater(originId: bigint, id: bigint): Promise<ApiKey[]> {
    return this.keys.findBy({ originId, id: MoreThan(id) });
  }

  exists(): Promise<boolean> {
    return this.keys.exists();
  }

  async insert(key: NewKey): Promise<bigint> {
    return (await this.keys.save({ ...key })).id;
  }

  /** Shortens the life of a working key and stores its successor. A revoked or expired one gets none. */
  rotate(id: bigint, now: Date, oldExpiresAt: Date, successor: NewKey): Promise<bigint | undefined> {
    return this.transactions.run(undefined, async (manager) => {
      const { affected } = await manager
        .createQueryBuilder()
        .update(ApiKey)
        .set({ expiresAt: () => 'LEAST(expires_at, :oldExpiresAt)' })
        .where({ id, revokedAt: IsNull(), expiresAt: MoreThan(now) })
        .setParameter('oldExpiresAt', oldExpiresAt)
        .execute();
      return affected === 1 ? (await manager.save(ApiKey, { ...successor })).id : undefined;
    });
  }

  /** Tells whether a key that was not revoked is now. */
  async revoke(id: bigint, revokedAt: Date): Promise<boolean> {
    return (await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt })).affected === 1;
  }

  /** Deletes keys that expired or were revoked before an instant, and returns their number. */
  async deleteEndedBefore(instant: Date): Promise<number> {
    const ended = [{ expiresAt: LessThan(instant) }, { revokedAt: LessThan(instant) }];
    return (await this.keys.delete(ended)).affected ?? 0;
  }

  /** Does nothing when a replica has recorded a later use. */
  async markUsed(id: bigint, lastUsedAt: Date): Promise<void> {
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: LessThan(lastUsedAt) },
      ],
      { lastUsedAt },
    );
  }
}
