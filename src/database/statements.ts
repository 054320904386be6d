import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { PIPELINES } from './data-source-options.js';
import { DatabaseUnavailable, sqlStateOf } from './errors.js';
import { isUnread, Pipeline } from './pipeline.js';
import { type Filters, GROUP_SIZE, type Portion, type Query, Table } from './table.js';

interface Insert {
  readonly table: Table;
  readonly values: ObjectLiteral;
  readonly resolve: (stored: ObjectLiteral) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Frequent statements, on pipelined connections. Rows that arrive while others are being stored share the next INSERT, and
 * so the wait for the disk.
 */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly reads: Pipeline[];
  private readonly writes: Pipeline[];
  /** Their own, or a probe would wait behind those that it asks about. */
  private readonly probes: Pipeline[];
  private readonly tables = new Map<unknown, Table>();
  private readonly loaders = new Map<unknown, DataLoader<bigint, ObjectLiteral | null>>();
  private readonly waiting: Insert[] = [];

  constructor(private readonly config: Config) {
    const open = (count: number, ...mayRepeat: [typeof isUnread?]) =>
      Array.from({ length: count }, () => new Pipeline(config, ...mayRepeat));
    this.reads = open(PIPELINES.reads, isUnread);
    this.writes = open(PIPELINES.writes);
    this.probes = open(PIPELINES.probes, isUnread);
  }

  async findPage<T extends { id: bigint }>(
    repository: Repository<T>,
    filters: Filters<T>,
    portion: Portion,
  ): Promise<T[]> {
    return (await this.read(this.tableOf(repository).select(filters, portion))) as T[];
  }

  /** Rows that are looked for in one turn of the event loop share a statement. */
  async findById<T extends { id: bigint }>(repository: Repository<T>, id: bigint): Promise<T | null> {
    // On Citus, rows of a worker that is down would take their neighbours with them.
    if (this.config.databaseDistribution) return this.findOne(repository, { id } as Filters<T>);
    let loader = this.loaders.get(repository.target);
    if (!loader) {
      const load = async (ids: readonly bigint[]) => {
        const rows = await this.findPage(repository, { id: ids } as Filters<T>, { limit: ids.length });
        return ids.map((each) => rows.find((row) => row.id === each) ?? null);
      };
      loader = new DataLoader(load, { cache: false, maxBatchSize: GROUP_SIZE, batchScheduleFn: setImmediate });
      this.loaders.set(repository.target, loader);
    }
    return (await loader.load(id)) as T | null;
  }

  async findOne<T extends ObjectLiteral>(repository: Repository<T>, filters: Filters<T>): Promise<T | null> {
    const [row] = await this.read(this.tableOf(repository).select(filters));
    return (row as T | undefined) ?? null;
  }

  /** `values` are those of all columns that the database does not generate, `null` for absent ones. */
  async insert<T extends ObjectLiteral>(
    repository: Repository<T>,
    values: Partial<T>,
    manager?: EntityManager,
  ): Promise<T> {
    const table = this.tableOf(repository);
    // In a transaction, or where it may wait for one, a row is stored alone, on a connection of TypeORM's.
    const alone = manager ?? (table.mayWait ? repository.manager : undefined);
    if (alone) return (await runWithin(alone, table.insert([{ values }])))[0] as T;
    return new Promise<ObjectLiteral>((resolve, reject) => {
      const isFirst = this.waiting.push({ table, values, resolve, reject }) === 1;
      if (isFirst) setImmediate(() => this.next()); // what one read of the network brought is one group
    }) as Promise<T>;
  }

  probe(text: string): Promise<ObjectLiteral[]> {
    return this.probes[0]!.query([{ text }, []]);
  }

  private tableOf<T extends ObjectLiteral>({ target, metadata }: Repository<T>): Table {
    let table = this.tables.get(target);
    if (!table) {
      table = new Table(metadata, this.config.preparedStatements);
      this.tables.set(target, table);
    }
    return table;
  }

  private read(query: Query): Promise<ObjectLiteral[]> {
    const [one, other] = this.reads as [Pipeline, Pipeline];
    return (one.underWay <= other.underWay ? one : other).query(query);
  }

  private next(): void {
    while (this.waiting.length > 0) {
      const pipeline = this.writes.find(({ underWay }) => underWay === 0);
      if (!pipeline) return;
      const { table } = this.waiting[0]!;
      const end = this.waiting.findIndex((insert, i) => i === table.groupSize || insert.table !== table);
      const group = this.waiting.splice(0, end < 0 ? table.groupSize : end);
      void this.store(pipeline, table, group);
    }
  }

  private async store(pipeline: Pipeline, table: Table, group: Insert[]): Promise<void> {
    try {
      deal(table, group, await pipeline.query(table.insert(group)));
    } catch (error) {
      // SQLSTATE classes 22 and 23 mean that a value of a row was refused; P0 comes from a trigger. The rows beside it are fine.
      const isRowAtFault = /^(?:22|23|P0)/.test(sqlStateOf(error) ?? '');
      if (isRowAtFault && group.length > 1) {
        const half = group.splice(group.length / 2);
        return void (await Promise.all([group, half].map((part) => this.store(pipeline, table, part))));
      }
      for (const { reject } of group) reject(error);
      // What waits would wait for the same in vain. It was not sent, so nothing about it is unknown.
      const notSent = new DatabaseUnavailable(false, { cause: error });
      if (!isRowAtFault) for (const { reject } of this.waiting.splice(0)) reject(notSent);
    } finally {
      this.next();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.reads, ...this.writes, ...this.probes].map((pipeline) => pipeline.close()));
  }
}

/** RETURNING promises no order, so rows are told by their content; those with the same are interchangeable. */
function deal(table: Table, group: Insert[], rows: ObjectLiteral[]): void {
  for (const { values, resolve, reject } of group) {
    const found = group.length === 1 && rows.length === 1 ? 0 : rows.findIndex((row) => table.isOf(values, row));
    if (found >= 0) resolve(rows.splice(found, 1)[0]!);
    else {
      table.groupSize = 1; // a row alone is known
      reject(
        new DatabaseUnavailable(true, {
          cause: new Error(`A trigger changes new rows of ${table.name}, so that none can be told apart`),
        }),
      );
    }
  }
}

function runWithin(manager: EntityManager, [{ text }, values]: Query): Promise<ObjectLiteral[]> {
  return manager.query(text, values);
}
