import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { READ_CONNECTIONS } from './data-source-options.js';
import { Database } from './database.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { isUnread, Pipeline, type Rows, type Statement } from './pipeline.js';
import { type Prepared, prepareSelect } from './prepared.js';

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

  async findOne<T extends ObjectLiteral>(repository: Repository<T>, filters: Filters<T>): Promise<T | null> {
    return (await this.select(repository, filters))[0] ?? null;
  }

  private async select<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    page?: { after?: bigint; limit: number },
  ): Promise<T[]> {
    this.database.requireReady();
    const values: unknown[] = [];
    const conditions: string[] = [];
    for (const [property, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      const parameter = `$${values.push(value)}`;
      conditions.push(`row.${property} = ${Array.isArray(value) ? `ANY(${parameter})` : parameter}`);
    }
    if (page?.after !== undefined) conditions.push(`row.id > $${values.push(page.after)}`);
    const suffix = page ? `ORDER BY id LIMIT $${values.push(page.limit)}` : 'LIMIT 1';

    const { tableName } = repository.metadata;
    const key = [tableName, ...conditions, suffix].join();
    let prepared = this.prepared.get(key);
    if (!prepared) {
      prepared = prepareSelect(repository, `${tableName}_${this.prepared.size}`, conditions, suffix);
      this.prepared.set(key, prepared);
    }
    return prepared.toEntities(await this.read({ ...prepared.statement, values })) as T[];
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
