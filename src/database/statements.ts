import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { PIPELINES } from './data-source-options.js';
import { DatabaseUnavailable, meaningOf, sqlStateOf } from './errors.js';
import { isUnread, Pipeline } from './pipeline.js';
import { Table } from './table.js';

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
  private readonly reads: readonly Pipeline[];
  private readonly writes: readonly Pipeline[];
  /** Its own, or a probe would wait behind those that it asks about. */
  private readonly probes: readonly Pipeline[];
  private readonly tables = new Map<unknown, Table>();
  private readonly waiting: Insert[] = [];

  constructor(config: Config) {
    const open = (count: number, mayRepeat?: typeof isUnread) =>
      Array.from({ length: count }, () => new Pipeline(config, mayRepeat));
    this.reads = open(PIPELINES.reads, isUnread);
    this.writes = open(PIPELINES.writes);
    this.probes = open(PIPELINES.probes, isUnread);
  }

  /** Rows of a table, by the clauses after FROM. Each text is prepared on its connection, so values are parameters. */
  async find<T extends ObjectLiteral>(repository: Repository<T>, clauses: string, values: unknown[]): Promise<T[]> {
    try {
      return (await idlest(this.reads).query(this.tableOf(repository).select(clauses), values)) as T[];
    } catch (cause) {
      // A read that is not answered has changed nothing, also where it is a part of a change, as that of a key.
      throw meaningOf(cause) === 'unknown' ? new DatabaseUnavailable(false, { cause }) : cause;
    }
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
    if (alone) return (await alone.query<T[]>(...table.insert([values])))[0]!;
    return new Promise<ObjectLiteral>((resolve, reject) => {
      const isFirst = this.waiting.push({ table, values, resolve, reject }) === 1;
      if (isFirst) setImmediate(() => this.next()); // what one read of the network brought is one group
    }) as Promise<T>;
  }

  probe(text: string): Promise<ObjectLiteral[]> {
    return idlest(this.probes).query(text, []);
  }

  private tableOf<T extends ObjectLiteral>({ target, metadata }: Repository<T>): Table {
    const table = this.tables.get(target) ?? new Table(metadata);
    this.tables.set(target, table);
    return table;
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
      deal(table, group, await pipeline.query(...table.insert(group.map(({ values }) => values))));
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

function idlest(pipelines: readonly Pipeline[]): Pipeline {
  return pipelines.reduce((best, each) => (each.underWay < best.underWay ? each : best));
}

/** RETURNING promises no order, so rows are told by their content; those with the same are interchangeable. */
function deal(table: Table, group: Insert[], rows: ObjectLiteral[]): void {
  for (const { values, resolve, reject } of group) {
    const found = group.length === 1 && rows.length === 1 ? 0 : rows.findIndex((row) => table.isOf(values, row));
    if (found >= 0) resolve(rows.splice(found, 1)[0]!);
    else {
      table.groupSize = 1; // a row alone is known
      const cause = new Error(`A trigger changes new rows of ${table.name}, so that none can be told apart`);
      reject(new DatabaseUnavailable(true, { cause }));
    }
  }
}
