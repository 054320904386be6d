import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { Metrics } from '../common/metrics.js';
import { WRITE_CONNECTIONS } from './data-source-options.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { Pipeline, runWithin } from './pipeline.js';
import { Table } from './table.js';

/** Larger groups gain little. */
const GROUP_SIZE = 32;
/** What would wait for longer than about half a second is better refused. */
const MOST_WAITING = 2_000;

interface Insert {
  readonly table: Table<ObjectLiteral>;
  readonly entity: ObjectLiteral;
  readonly resolve: (stored: ObjectLiteral) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows that arrive while others are being stored share the next INSERT, and so the wait for the disk. */
@Injectable()
export class GroupCommit implements OnApplicationShutdown {
  private readonly pipelines: Pipeline[];
  private readonly waiting: Insert[] = [];
  /** The tables whose rows a trigger changes. */
  private readonly ungrouped = new Set<Table<ObjectLiteral>>();
  private readonly sizes: ReturnType<Metrics['histogram']>;

  constructor(config: Config, metrics: Metrics) {
    this.pipelines = Array.from({ length: WRITE_CONNECTIONS }, () => new Pipeline(config));
    metrics.gauge('database_queue_length', 'Rows that wait to be stored.', () => this.waiting.length);
    const sizes = [1, 2, 4, 8, 16, 32];
    this.sizes = metrics.histogram('database_group_size', 'Rows stored together.', [], sizes);
  }

  /** `values` are those of all columns that the database does not generate, `null` for absent ones. */
  async insert<T extends ObjectLiteral>(
    repository: Repository<T>,
    values: Partial<T>,
    manager?: EntityManager,
  ): Promise<T> {
    const table = Table.of(repository);
    // As a part of a transaction, a row is stored alone. TypeORM's `save()` takes several times as long.
    if (manager) return table.toEntities(await runWithin(manager, table.insert([values])))[0]!;
    if (this.waiting.length >= MOST_WAITING) throw new DatabaseUnavailable(false);
    return new Promise<ObjectLiteral>((resolve, reject) => {
      const isFirst = this.waiting.push({ table, entity: values, resolve, reject }) === 1;
      if (isFirst) setImmediate(() => this.next()); // what one read of the network brought is one group
    }) as Promise<T>;
  }

  private next(): void {
    while (this.waiting.length > 0) {
      const pipeline = this.pipelines.find(({ underWay }) => underWay === 0);
      if (!pipeline) return;
      const { table } = this.waiting[0]!;
      const most = this.ungrouped.has(table) ? 1 : GROUP_SIZE;
      const end = this.waiting.findIndex((insert, i) => i === most || insert.table !== table);
      const group = this.waiting.splice(0, end < 0 ? most : end);
      void this.store(pipeline, group).finally(() => this.next());
    }
  }

  private async store(pipeline: Pipeline, group: Insert[]): Promise<void> {
    try {
      const { table } = group[0]!;
      const stored = table.toEntities(await pipeline.query(table.insert(group.map(({ entity }) => entity))));
      if (!deal(group, stored, table.written)) this.ungrouped.add(table);
      this.sizes.observe(group.length);
    } catch (error) {
      if (!isRowAtFault(error)) this.refuse(group, error);
      else if (group.length === 1) group[0]!.reject(error);
      else await Promise.all(group.map((insert) => this.store(pipeline, [insert])));
    }
  }

  /** What waits would wait for the same in vain. It was not sent, so nothing about it is unknown. */
  private refuse(group: Insert[], cause: unknown): void {
    for (const { reject } of group) reject(cause);
    const notSent = meaningOf(cause) ? new DatabaseUnavailable(false, { cause }) : cause;
    for (const { reject } of this.waiting.splice(0)) reject(notSent);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pipelines.map((pipeline) => pipeline.close()));
  }
}

/** By its value: data exception, integrity constraint, raised by a trigger. */
const isRowAtFault = (error: unknown): boolean => /^(?:22|23|P0)/.test((error as { code?: string }).code ?? '');

/**
 * RETURNING promises no order, so rows are told by their content; those with the same are interchangeable. False if that
 * was not enough.
 */
function deal(group: Insert[], stored: ObjectLiteral[], properties: readonly string[]): boolean {
  // PostgreSQL stores no NUL, so it separates. JSON tells dates and bytes apart.
  const contentOf = (entity: ObjectLiteral): string =>
    properties
      .map((property) => (entity[property] as unknown) ?? null)
      .map((value) => (typeof value === 'object' ? JSON.stringify(value) : `=${value as string}`))
      .join('\0');
  const left = stored.map((entity) => ({ entity, content: contentOf(entity) }));
  const others = group.filter(({ entity, resolve }) => {
    const content = contentOf(entity);
    const found = left.findIndex((row) => row.content === content);
    if (found >= 0) resolve(left.splice(found, 1)[0]!.entity);
    return found < 0;
  });
  // A trigger has changed rows. Two of them cannot be told apart.
  if (others.length === 1) others[0]!.resolve(left[0]!.entity);
  else for (const { reject } of others) reject(new DatabaseUnavailable(true));
  return others.length <= 1;
}
