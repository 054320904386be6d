import type { DatabaseError } from 'pg';
import type { Repository, UpdateResult } from 'typeorm';
import { BatchedRepository, type EntityWithId } from '../batching/batched-repository.js';
import { driverErrorOf, OutcomeUnknown } from '../database-errors.js';
import { mayBeStored } from './node-errors.js';

/** The repository of an entity whose rows other nodes store. */
export class ClusterRepository<T extends EntityWithId> extends BatchedRepository<T> {
  override change(...given: Parameters<BatchedRepository<T>['change']>): Promise<T | null> {
    return this.orUnknown(super.change(...given));
  }

  override discard(...given: Parameters<BatchedRepository<T>['discard']>): Promise<T | null> {
    return this.orUnknown(super.discard(...given));
  }

  override update(...given: Parameters<Repository<T>['update']>): Promise<UpdateResult> {
    return this.orUnknown(super.update(...given));
  }

  /** Outside a transaction, a node commits a change of its own: when it is cancelled, it may be stored. */
  protected async orUnknown<R>(change: Promise<R>): Promise<R> {
    try {
      return await change;
    } catch (error) {
      const cause = driverErrorOf(error);
      if (this.manager.queryRunner || !mayBeStored(cause as DatabaseError)) throw error;
      throw new OutcomeUnknown({ cause });
    }
  }
}
