import type { Type } from '@nestjs/common';
import { BatchedRepository, type EntityWithId } from '../batching/batched-repository.js';
import type { EntityStatement } from '../batching/entity-sql.js';
import type { Row } from '../batching/statement.js';
import { keepingOf } from '../kept.js';
import type { RecordedChange } from '../transactions/recorded-change.js';
import { ClusterRepository } from './cluster-repository.js';
import { DistributedRepository } from './distributed-repository.js';

/** The repository of an entity whose table a cluster keeps. */
export function repositoryOf(entity: Type<EntityWithId>): typeof BatchedRepository<EntityWithId> {
  switch (keepingOf(entity)) {
    case 'distributed':
      return DistributedRepository;
    case 'everywhere':
      return ClusterRepository;
    default:
      return LocalRepository;
  }
}

/** The workers do not have the table. */
class LocalRepository<T extends EntityWithId> extends BatchedRepository<T> {
  protected override read(statement: EntityStatement, values: unknown[]): Promise<Row[]> {
    return super.read(statement, values, 'permission');
  }

  /** Citus commits the workers first: after a crash, the record of an answer would be there, and the row would not. */
  protected override get recordedChange(): RecordedChange | undefined {
    if (super.recordedChange)
      throw new Error(
        `${this.metadata.name} is kept local, so its changes cannot have an Idempotency-Key. Add @Kept('everywhere').`,
      );
    return undefined;
  }
}
