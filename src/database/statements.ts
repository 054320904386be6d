import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { Config } from '../common/config.js';
import { PIPELINES } from './data-source-options.js';
import { DatabaseUnavailable, meaningOf, sqlStateOf } from './errors.js';
import { mayRepeatRead, Pipeline } from './pipeline.js';
import { Table } from './table.js';

interface Insert {
  readonly table: Table;
  readonly values: ObjectLiteral;
  readonly resolve: (stored: ObjectLiteral) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs frequent statements on pipelined connections. Rows that arrive while others are stored share the next INSERT. */
@Injectable()
export class Statements implements OnApplicationShutdown {
  private readonly reads: readonly Pipeline[];
  private readonly writes: readonly Pipeline[];
  /** Probes have a connection of their own. On a shared one, they would wait for the slow statements of requests. */
  private readonly probes: readonly Pipeline[];
  private readonly tables = new Map<unknown, Table>();
  private readonly waiting: Insert[] = [];

  constructor(config: Config) {
    const open = (count: number, mayRepeat?: typeof mayRepeatRead) =>
      Array.from({ length: count }, () => new Pipeline(config, mayRepeat));
    this.reads = open(PIPELINES.reads, mayRepeatRead);
    this.writes = open(PIPELINES.writes);
    this.probes = open(PIPELINES.probes, mayRepeatRead);
  }

  /** Selects rows by the clauses after FROM. Each text stays prepared, so pass values as parameters, not in the text. */
  async find<T extends ObjectLiteral>(repository: Repository<T>, clauses: string, values: unknown[]): Promise<T[]> {
    try {
      return (await idlest(this.reads).query(this.tableOf(repository).select(clauses), values)) as T[];
    } catch (cause) {
      // A read changes nothing. If it was to look up the API key of a change, that change has not begun.
      throw meaningOf(cause) === 'unknown' ? new DatabaseUnavailable(false, { cause }) : cause;
    }
  }

  /** Inserts a row. `values` has all columns that the database does not generate, with `null` where there is no value. */
  async insert<T extends ObjectLiteral>(
    repository: Repository<T>,
    values: Partial<T>,
    manager?: EntityManager,
  ): Promise<T> {
    const table = this.tableOf(repository);
    // A row that belongs to a transaction, or may have to wait for one, is stored alone, on a connection of TypeORM's pool.
    const alone = manager ?? (table.mayWait ? repository.manager : undefined);
    if (alone) return (await alone.query<T[]>(...table.insert([values])))[0]!;
    return new Promise<ObjectLiteral>((resolve, reject) => {
      const isFirst = this.waiting.push({ table, values, resolve, reject }) === 1;
      if (isFirst) setImmediate(() => this.next()); // after all requests of this turn of the event loop
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
      // The rows that wait would most likely fail in the same way, only later. They were not sent, so none is stored.
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

/** Gives callers their rows, which it finds by content, since RETURNING promises no order. Equal rows are interchangeable. */
function deal(table: Table, group: Insert[], rows: ObjectLiteral[]): void {
  for (const { values, resolve, reject } of group) {
    const found = group.length === 1 && rows.length === 1 ? 0 : rows.findIndex((row) => table.isOf(values, row));
    if (found >= 0) resolve(rows.splice(found, 1)[0]!);
    else {
      table.groupSize = 1; // from now on, one row per INSERT, whose caller is known
      const cause = new Error(`A trigger changes new rows of ${table.name}, so they cannot be matched with requests`);
      reject(new DatabaseUnavailable(true, { cause }));
    }
  }
}
