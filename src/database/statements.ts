import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { READ_CONNECTIONS } from './data-source-options.js';
import { Database } from './database.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { isUnread, Pipeline, type Rows, type Statement } from './pipeline.js';
import { type Prepared, prepareSelect, runWithin } from './prepared.js';

/** Values of columns. An array means any of its values; `undefined` is skipped. */
export type Filters<T> = { readonly [K in keyof T]?: NonNullable<T[K]> | readonly NonNullable<T[K]>[] };

/** On one connection. Beyond it, answers would be late. */
const MOST_UNDER_WAY = 500;

/** Frequent reads, as named statements on pipelined connections. */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly pipelines: Pipeline[];
  private readonly prepared = new Map<string, Prepared<ObjectLiteral>>();

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.pipelines = Array.from({ length: READ_CONNECTIONS }, () => new Pipeline(config));
  }

  /** Ascending by id, at most `limit` rows, with greater ids than `after`. */
  findPage<T extends { id: bigint }>(
    repository: Repository<T>,
    filters: Filters<T>,
    page: { after?: bigint; limit: number },
  ): Promise<T[]> {
    return this.select(repository, filters, page);
  }

  /** In a transaction, it sees what that has changed. */
  async findOne<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    manager?: EntityManager,
  ): Promise<T | null> {
    return (await this.select(repository, filters, undefined, manager))[0] ?? null;
  }

  private async select<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    page?: { after?: bigint; limit: number },
    manager?: EntityManager,
  ): Promise<T[]> {
    this.database.requireReady();
    // Of all reads of one shape, only the first builds the statement.
    const values: unknown[] = [];
    let shape = repository.metadata.tableName;
    for (const property in filters) {
      const value = filters[property];
      if (value === undefined) continue;
      values.push(value);
      shape += Array.isArray(value) ? ` any ${property}` : ` ${property}`;
    }
    if (page) shape += page.after === undefined ? ', page' : ', page after';
    if (page?.after !== undefined) values.push(page.after);
    if (page) values.push(page.limit);
    let prepared = this.prepared.get(shape);
    if (!prepared) this.prepared.set(shape, (prepared = this.prepare(repository, filters, page)));
    // pg copies the own properties of a statement one by one, which costs 1 µs each.
    const statement = Object.create(prepared.statement) as Statement;
    statement.values = values;
    return prepared.toEntities(await (manager ? runWithin(manager, statement) : this.read(statement))) as T[];
  }

  private prepare<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    page?: { after?: bigint },
  ): Prepared<ObjectLiteral> {
    let count = 0;
    const conditions = Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .map(([property, value]) => `row.${property} = ${Array.isArray(value) ? `ANY($${++count})` : `$${++count}`}`);
    if (page?.after !== undefined) conditions.push(`row.id > $${++count}`);
    const suffix = page ? `ORDER BY id LIMIT $${++count}` : 'LIMIT 1';
    return prepareSelect(repository, `${repository.metadata.tableName}_${this.prepared.size}`, conditions, suffix);
  }

  private async read(statement: Statement): Promise<Rows> {
    const pipeline = this.pipelines.reduce((least, each) => (each.underWay < least.underWay ? each : least));
    if (pipeline.underWay >= MOST_UNDER_WAY) throw new DatabaseUnavailable(false);
    try {
      return await pipeline.query(statement, isUnread);
    } catch (cause) {
      // A read that is not answered has changed nothing.
      throw meaningOf(cause)?.kind === 'unknown' ? new DatabaseUnavailable(false, { cause }) : cause;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pipelines.map((pipeline) => pipeline.close()));
  }
}
