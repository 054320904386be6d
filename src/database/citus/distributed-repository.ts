import type { DeleteQueryBuilder, Repository, UpdateQueryBuilder, UpdateResult } from 'typeorm';
import { Page } from '../../api/paging/page.js';
import {
  type Conditions,
  type EntityWithId,
  type Orders,
  type PageRequest,
} from '../batching/batched-repository.js';
import type { EntitySql } from '../batching/entity-sql.js';
import { withinLimits } from '../within-limits.js';
import { blockOf, lastIdOf } from './block.js';
import { ClusterRepository } from './cluster-repository.js';
import { DistributedSql } from './distributed-sql.js';

/** The repository of a distributed entity. It asks one shard where the values tell which. */
export class DistributedRepository<T extends EntityWithId> extends ClusterRepository<T> {
  override async readOne(where: Partial<T>): Promise<T | null> {
    const place = where[this.placed.place as keyof T];
    if (typeof place !== 'bigint') return super.readOne(where);
    const statement = this.placed.readOneOfBlock(Object.keys(where));
    const [row] = await this.read(statement, [...Object.values(where), blockOf(place)]);
    return (row as T | undefined) ?? null;
  }

  /** First from the block where the page starts, and, if it is not full, from all shards. */
  override async readPage<By extends Orders<T> = Orders<T> & 'id'>(
    request: PageRequest<T, By>,
  ): Promise<Page<T>> {
    const { by = 'id', filters = {}, limit } = request;
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    const isListed = given.some(([, value]) => Array.isArray(value));
    if (by !== 'id' || this.placed.place !== 'id' || isListed || this.manager.queryRunner)
      return super.readPage(request);
    const begun = performance.now();
    const after = max((request.after as bigint | undefined) ?? 0n, 0n); // ids start at 1
    const block = blockOf(after + 1n);
    const statement = this.placed.readPageOfBlock(given.map(([name]) => name));
    const values = given.map(([, value]) => value);
    const rows = (await this.read(statement, [...values, after, limit + 1, block])) as unknown as T[];
    if (rows.length > limit) return Page.of(rows, limit, by);
    const rest = await withinLimits(begun, this.readAfter(block, request, limit + 1 - rows.length));
    return Page.of([...rows, ...rest], limit, by);
  }

  private async readAfter<By extends Orders<T>>(
    block: bigint,
    request: PageRequest<T, By>,
    limit: number,
  ): Promise<readonly T[]> {
    if (await this.endsIn(block)) return [];
    return (await super.readPage({ ...request, after: lastIdOf(block) as T[By], limit })).items;
  }

  /** Whether no block follows. */
  private async endsIn(block: bigint): Promise<boolean> {
    const [row] = await this.queues.readAtPrimary(this.placed.readLastId(), []); // the coordinator's sequence
    return blockOf((row?.['id'] as bigint | null) ?? 0n) <= block;
  }

  override update(...given: Parameters<Repository<T>['update']>): Promise<UpdateResult> {
    const [criteria, changes] = given;
    const where = criteria as Conditions<T>;
    if (typeof where[this.placed.place as keyof T] !== 'bigint') return super.update(...given);
    const update = this.createQueryBuilder().update().set(changes);
    return this.orUnknown(this.narrowed(update.where(where), where).execute());
  }

  protected override narrowed<Q extends UpdateQueryBuilder<T> | DeleteQueryBuilder<T>>(
    query: Q,
    where: Conditions<T>,
  ): Q {
    const place = where[this.placed.place as keyof T];
    if (typeof place === 'bigint') query.andWhere('block = :block', { block: blockOf(place) });
    return query;
  }

  private get placed(): DistributedSql {
    return this.statements as DistributedSql;
  }

  protected override makeStatements(): EntitySql {
    return DistributedSql.of(this.metadata);
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
