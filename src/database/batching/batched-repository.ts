import { Inject, type Type } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Page } from '../../api/paging/page.js';
import { DatabaseOutage } from '../database-errors.js';
import { EntitySql } from './entity-sql.js';
import type { StatementQueues } from './statement-queues.js';

export interface EntityWithId {
  readonly id: bigint;
}

export interface PageRequest<T> {
  /** Equality filters. An undefined property does not filter. */
  readonly where?: { readonly [P in keyof T]?: T[P] | undefined };
  /** The page starts after this id. */
  readonly after?: bigint | undefined;
  readonly limit: number;
}

/** The frequent statements on an entity: prepared, and batched with those of other requests. */
export class BatchedRepository<T extends EntityWithId> {
  private cachedSql: EntitySql | undefined;

  constructor(
    private readonly entity: Type<T>,
    private readonly dataSource: DataSource,
    private readonly queues: StatementQueues,
  ) {}

  async findOneBy(where: Partial<T>): Promise<T | null> {
    const [row] = await this.queues.read(this.sql.findOne(Object.keys(where)), Object.values(where));
    return (row as T | undefined) ?? null;
  }

  async findPage({ where = {}, after, limit }: PageRequest<T>): Promise<Page<T>> {
    const filters = Object.entries(where).filter(([, value]) => value !== undefined);
    const names = filters.map(([name]) => name);
    const values = filters.map(([, value]) => value as unknown);
    if (after !== undefined) values.push(after);
    // One row more than the limit tells whether another page follows.
    values.push(limit + 1);
    const rows = await this.queues.read(this.sql.findPage(names, after !== undefined), values);
    return Page.of(rows as unknown as T[], limit);
  }

  /** Resolves when the row is committed. */
  async insert(values: Omit<T, 'id'>): Promise<T> {
    const [row] = await this.queues.write(this.sql.insert(Object.keys(values)), Object.values(values));
    // A trigger or a rule can suppress a row without an error.
    if (!row) throw new Error(`The database stored no row of ${this.entity.name}.`);
    return row as unknown as T;
  }

  private get sql(): EntitySql {
    // TypeORM has no metadata before it connects.
    if (!this.dataSource.isInitialized) throw new DatabaseOutage();
    return (this.cachedSql ??= EntitySql.forRows(this.dataSource.getMetadata(this.entity)));
  }
}

/** The injection token, by name like that of TypeORM's repository. */
export function batchedRepositoryOf(entity: Type): string {
  return `${entity.name}BatchedRepository`;
}

/** `@InjectBatched(Pet) private readonly pets: BatchedRepository<Pet>` */
export function InjectBatched(entity: Type): ParameterDecorator & PropertyDecorator {
  return Inject(batchedRepositoryOf(entity));
}
