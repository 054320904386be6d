import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type ObjectLiteral, type Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { READ_CONNECTIONS } from './data-source-options.js';
import { Database } from './database.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { type Channel, isUnread, openChannels } from './pipeline.js';
import { type Prepared, prepareSelect } from './prepared.js';

/** Columns with a value. An array means any of its values; `undefined` is skipped. */
export type Filters<T> = { readonly [K in keyof T]?: NonNullable<T[K]> | readonly NonNullable<T[K]>[] };

/** Of one connection. Beyond it, the answers would be late. */
const MOST_UNDER_WAY = 500;

/** Frequent reads, as named statements on pipelined connections. */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly channels: Channel[];
  private readonly prepared = new Map<string, Prepared<ObjectLiteral>>();

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
    config: Config,
  ) {
    this.channels = openChannels(READ_CONNECTIONS, config, dataSource);
  }

  /** Ascending by id, at most `limit` rows, with greater ids than `after`. */
  findPage<T extends { id: bigint }>(
    repository: Repository<T>,
    filters: Filters<T>,
    { after, limit }: { after?: bigint; limit: number },
  ): Promise<T[]> {
    return this.select(repository, filters, after, limit);
  }

  async findOne<T extends ObjectLiteral>(repository: Repository<T>, filters: Filters<T>): Promise<T | null> {
    return (await this.select(repository, filters))[0] ?? null;
  }

  private async select<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    after?: bigint,
    limit?: number,
  ): Promise<T[]> {
    this.database.requireReady();
    const values: unknown[] = [];
    const conditions: string[] = [];
    for (const [property, value] of Object.entries(filters)) {
      if (value === undefined) continue;
      const parameter = `$${values.push(value)}`;
      conditions.push(`row.${property} = ${Array.isArray(value) ? `ANY(${parameter})` : parameter}`);
    }
    if (after !== undefined) conditions.push(`row.id > $${values.push(after)}`);
    const suffix = limit === undefined ? 'LIMIT 1' : `ORDER BY id LIMIT $${values.push(limit)}`;
    const { statement, toEntities } = this.prepare(repository, conditions, suffix);
    return toEntities(await this.read({ ...statement, values }));
  }

  private prepare<T extends ObjectLiteral>(
    repository: Repository<T>,
    conditions: string[],
    suffix: string,
  ): Prepared<T> {
    const { tableName } = repository.metadata;
    const key = [tableName, ...conditions, suffix].join();
    let prepared = this.prepared.get(key);
    if (!prepared) {
      const name = `${tableName}_select_${this.prepared.size}`;
      this.prepared.set(key, (prepared = prepareSelect(repository, name, conditions, suffix)));
    }
    return prepared as Prepared<T>;
  }

  private async read(statement: Parameters<Channel['query']>[0]): ReturnType<Channel['query']> {
    const channel = this.channels.reduce((least, each) => (each.underWay < least.underWay ? each : least));
    if (channel.underWay >= MOST_UNDER_WAY) throw new DatabaseUnavailable(false);
    try {
      return await channel.query(statement, isUnread);
    } catch (cause) {
      // A read that is not answered has changed nothing.
      throw meaningOf(cause)?.kind === 'unknown' ? new DatabaseUnavailable(false, { cause }) : cause;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.channels.map((channel) => channel.close()));
  }
}
