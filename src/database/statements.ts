import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { READ_CONNECTIONS } from './data-source-options.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { isUnread, Pipeline, type Rows, runWithin, type Statement } from './pipeline.js';
import { type Filters, type Portion, Table } from './table.js';

/** On one connection. Beyond it, answers would be late. */
const MOST_UNDER_WAY = 500;

/** Frequent reads, as named statements on pipelined connections. */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly pipelines: Pipeline[];

  constructor(config: Config) {
    this.pipelines = Array.from({ length: READ_CONNECTIONS }, () => new Pipeline(config));
  }

  async findPage<T extends { id: bigint }>(
    repository: Repository<T>,
    filters: Filters<T>,
    portion: Portion,
  ): Promise<T[]> {
    const table = Table.of(repository);
    return table.toEntities(await this.read(table.select(filters, portion)));
  }

  /** In a transaction, it sees what that has changed. */
  async findOne<T extends ObjectLiteral>(
    repository: Repository<T>,
    filters: Filters<T>,
    manager?: EntityManager,
  ): Promise<T | null> {
    const table = Table.of(repository);
    const statement = table.select(filters);
    const rows = await (manager ? runWithin(manager, statement) : this.read(statement));
    return table.toEntities(rows)[0] ?? null;
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
