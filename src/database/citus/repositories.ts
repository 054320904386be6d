import type { Type } from '@nestjs/common';
import { BatchedRepository, type EntityWithId } from '../batching/batched-repository.js';
import type { EntityStatement } from '../batching/entity-sql.js';
import type { Row } from '../batching/statement.js';
import { keepingOf } from '../kept.js';
import { DistributedRepository } from './distributed-repository.js';

/** The repository of an entity whose table a cluster keeps. */
export function repositoryOf(entity: Type<EntityWithId>): typeof BatchedRepository<EntityWithId> {
  switch (keepingOf(entity)) {
    case 'distributed':
      return DistributedRepository;
    case 'everywhere':
      return BatchedRepository;
    default:
      return LocalRepository;
  }
}

/** The workers do not have the table. */
class LocalRepository<T extends EntityWithId> extends BatchedRepository<T> {
  protected override read(statement: EntityStatement, values: unknown[]): Promise<Row[]> {
    return super.read(statement, values, 'permission');
  }
}
