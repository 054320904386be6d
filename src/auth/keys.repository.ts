import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, IsNull, LessThan, MoreThan, Not } from 'typeorm';
import type { Clock } from '../common/clock.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import { ASK_CLOCK, clockDifference, type ClockRows } from '../database/server/clock-watch.js';
import { ApiKey } from './api-key.entity.js';
import { LookUps } from './look-ups.js';

export type NewKey = Pick<ApiKey, 'name' | 'owner' | 'note' | 'hash' | 'hint' | 'createdAt' | 'expiresAt'> &
  Partial<Pick<ApiKey, 'originId'>>;

/**
 * What ended the key may not have reached the standby that commits wait for. Then this does not succeed, either, and nobody
 * is told that the key has ended.
 */
const UNCHANGED = { revokedAt: () => 'revoked_at' };

/** All statements on API keys. */
@Injectable()
export class KeysRepository {
  /** Apart from others, which may be made up, and would have them wait. */
  private readonly seen = this.lookUps();
  private readonly unseen = this.lookUps();

  constructor(@InjectRepository(ApiKey) private readonly keys: BatchedRepository<ApiKey>) {}

  /** On the hot path, for every request whose key is not cached. */
  findByHash(hash: Buffer, wasSeen: boolean): Promise<ApiKey | null> {
    return (wasSeen ? this.seen : this.unseen).find(hash);
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
    const { identifiers } = await this.keys.insert(key);
    return identifiers[0]?.['id'] as bigint;
  }

  /**
   * Shortens the life of a working key and stores its successor, in one transaction. The update comes first: it waits for
   * a concurrent revocation, after which it matches no row and no successor is stored.
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
      if (affected !== 1) {
        await transaction.update(ApiKey, { id }, UNCHANGED);
        return undefined;
      }
      const { identifiers } = await transaction.insert(ApiKey, successor);
      return identifiers[0]?.['id'] as bigint;
    });
  }

  /** Returns false when the key does not exist or is revoked already. */
  async revoke(id: bigint, revokedAt: Date): Promise<boolean> {
    const { affected } = await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt });
    if (affected === 1) return true;
    await this.keys.update({ id }, UNCHANGED);
    return false;
  }

  /** Deletes keys that expired or were revoked before an instant, and returns their number. */
  async deleteEndedBefore(instant: Date): Promise<number> {
    const { affected } = await this.keys.delete([
      { expiresAt: LessThan(instant) },
      { revokedAt: LessThan(instant) },
    ]);
    return affected ?? 0;
  }

  /** Does nothing when any process has recorded a use within this time. A later one is that of a clock that was wrong. */
  async markUsed(id: bigint, lastUsedAt: Date, withinMs: number): Promise<void> {
    const now = lastUsedAt.getTime();
    const isRecent = Between(new Date(now - withinMs), new Date(now + withinMs));
    await this.keys.update(
      [
        { id, lastUsedAt: IsNull() },
        { id, lastUsedAt: Not(isRecent) },
      ],
      { lastUsedAt },
    );
  }

  /** How the clock differs from the database's, in words; `undefined` when it hardly does. */
  async clockDifference(clock: Clock): Promise<string | undefined> {
    const rows = await this.keys.query<ClockRows>(ASK_CLOCK);
    return clockDifference(rows, clock.now().getTime());
  }

  private lookUps(): LookUps<ApiKey> {
    return new LookUps(
      (hashes) => this.keys.readListed('hash', hashes, 'permission'),
      ({ hash }) => hash,
    );
  }
}
