import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type ObjectLiteral, type Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { Metrics } from '../common/metrics.js';
import { WRITE_CONNECTIONS } from './data-source-options.js';
import { Database } from './database.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';
import { type Channel, openChannels } from './pipeline.js';
import { type Prepared, prepareInsert, writtenColumns } from './prepared.js';

/** Larger groups gain little, and the server would be idle while this process reads the answer. */
const GROUP_SIZE = 32;
/** What waits longer than about half a second is better refused. */
const MOST_WAITING = 2_000;

interface Insert {
  readonly table: Table;
  readonly values: unknown[];
  resolve(entity: ObjectLiteral): void;
  reject(error: unknown): void;
}

interface Table {
  readonly repository: Repository<ObjectLiteral>;
  readonly properties: string[];
  /** By the number of rows. */
  readonly prepared: Prepared<ObjectLiteral>[];
  groupSize: number;
}

/** Rows that arrive while others are being stored share the next INSERT, and so the wait for the disk. */
@Injectable()
export class GroupCommit implements OnApplicationShutdown {
  private readonly channels: Channel[];
  private readonly free: Channel[];
  private readonly waiting: Insert[] = [];
  private readonly tables = new Map<string, Table>();
  private readonly sizes: ReturnType<Metrics['histogram']>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
    config: Config,
    metrics: Metrics,
  ) {
    this.channels = openChannels(WRITE_CONNECTIONS, config, dataSource);
    this.free = [...this.channels];
    metrics.gauge('database_queue_length', 'Rows that wait to be stored.', () => this.waiting.length);
    const help = 'Rows that were stored together.';
    this.sizes = metrics.histogram('database_group_size', help, [], [1, 2, 4, 8, 16, 32]);
  }

  /** `values` are those of all columns that the database does not generate, `null` for absent ones. */
  async insert<T extends ObjectLiteral>(repository: Repository<T>, values: Partial<T>): Promise<T> {
    this.database.requireReady();
    if (this.waiting.length >= MOST_WAITING) throw new DatabaseUnavailable(false);
    const table = this.tableOf(repository);
    return new Promise<ObjectLiteral>((resolve, reject) => {
      const row = table.properties.map((property) => values[property as keyof T]);
      const isFirst = this.waiting.push({ table, values: row, resolve, reject }) === 1;
      if (isFirst) setImmediate(() => this.next()); // what one read of the network brought is one group
    }) as Promise<T>;
  }

  private tableOf<T extends ObjectLiteral>(repository: Repository<T>): Table {
    const { tablePath } = repository.metadata;
    const known = this.tables.get(tablePath);
    if (known) return known;
    const properties = writtenColumns(repository.metadata).map(({ propertyName }) => propertyName);
    const table: Table = {
      repository: repository as unknown as Repository<ObjectLiteral>,
      properties,
      prepared: [],
      groupSize: GROUP_SIZE,
    };
    this.tables.set(tablePath, table);
    return table;
  }

  private next(): void {
    while (this.waiting.length > 0) {
      const channel = this.free.pop();
      if (!channel) return;
      const { table } = this.waiting[0]!;
      const end = this.waiting.findIndex((insert) => insert.table !== table);
      const group = this.waiting.splice(0, Math.min(table.groupSize, end < 0 ? GROUP_SIZE : end));
      void this.store(channel, group).finally(() => {
        this.free.push(channel);
        this.next();
      });
    }
  }

  private async store(channel: Channel, group: Insert[]): Promise<void> {
    const { table } = group[0]!;
    const { statement, toEntities } = (table.prepared[group.length] ??= prepareInsert(
      table.repository,
      group.length,
    ));
    try {
      const values = group.flatMap((insert) => insert.values);
      deal(group, toEntities(await channel.query({ ...statement, values })));
      this.sizes.observe(group.length);
    } catch (error) {
      if (!isRowAtFault(error)) this.refuse(group, error);
      else if (group.length === 1) group[0]!.reject(error);
      else await Promise.all(group.map((insert) => this.store(channel, [insert])));
    }
  }

  /** What waits would wait for the same in vain. It was not sent, so its outcome is known. */
  private refuse(group: Insert[], cause: unknown): void {
    const kind = meaningOf(cause)?.kind;
    const refusal = kind ? new DatabaseUnavailable(kind === 'unknown', { cause }) : cause;
    for (const { reject } of group) reject(refusal);
    const notSent = kind ? new DatabaseUnavailable(false, { cause }) : cause;
    for (const { reject } of this.waiting.splice(0)) reject(notSent);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.channels.map((channel) => channel.close()));
  }
}

/** By its value: data exception, integrity constraint, raised by a trigger. */
const isRowAtFault = (error: unknown): boolean =>
  /^(?:22|23|P0)/.test((error as { code?: string }).code ?? '');

/** RETURNING promises no order, so rows are told by their content; those with the same are interchangeable. */
function deal(group: Insert[], entities: ObjectLiteral[]): void {
  const { table } = group[0]!;
  const byContent = new Map<string, ObjectLiteral[]>();
  for (const entity of entities) {
    const content = contentOf(table.properties.map((property) => entity[property]));
    byContent.set(content, [...(byContent.get(content) ?? []), entity]);
  }
  const others = group.filter((insert) => {
    const entity = byContent.get(contentOf(insert.values))?.pop();
    if (entity) insert.resolve(entity);
    return !entity;
  });
  if (others.length === 0) return;
  // A trigger changes rows of this table. Two such rows cannot be told apart.
  table.groupSize = 1;
  const [changed] = [...byContent.values()].flat();
  if (others.length === 1) others[0]!.resolve(changed!);
  else for (const { reject } of others) reject(new DatabaseUnavailable(true));
}

/** PostgreSQL stores no NUL, so it separates. JSON tells dates and bytes apart. */
const contentOf = (values: unknown[]): string =>
  values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : `=${value}`)).join('\0');
