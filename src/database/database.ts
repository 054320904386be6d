import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type pg from 'pg';
import { Gauge, Registry } from 'prom-client';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { Config } from '../common/config.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { DatabaseUnavailable, isStale, meaningOf, reasonOf, sqlStateOf } from './errors.js';
import { migrate } from './migrate.js';
import { Statements } from './statements.js';

const RETRY_MS = 300;
/** For the log and the metrics; requests find out by themselves. */
const CHECK_EVERY_MS = 2_000;

/** Migrates and connects in the background, for as long as it takes, and looks whether the database can be used. */
@Injectable()
export class Database implements OnModuleInit, OnModuleDestroy {
  /** Why it cannot be used. */
  problem: string | undefined = 'It is not ready, or being migrated by another process.';
  /** Resolves when it is connected and migrated. Rejects when a migration fails. */
  ready = Promise.resolve();

  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private checking: Promise<void> | undefined;
  private checks: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
    private readonly config: Config,
    registry: Registry,
  ) {
    const collect = (): void => gauge.set(Number(!this.problem));
    const help = '1 while the database can be used.';
    const gauge = new Gauge({ name: 'database_up', help, registers: [registry], collect });
  }

  async onModuleInit(): Promise<void> {
    await this.startEmbedded();
    // An embedded server that was killed does not come back by itself.
    const observe = () => this.check().catch(() => this.startEmbedded().catch(() => {}));
    this.checks = setInterval(() => void observe(), CHECK_EVERY_MS).unref();
    this.ready = this.connect();
    this.ready.catch((error: unknown) => this.note(reasonOf(error)));
  }

  /** Asks the database for what the operations need. Those who ask at the same time share the answer. */
  check(): Promise<void> {
    return (this.checking ??= this.ask().finally(() => (this.checking = undefined)));
  }

  /** Whether TypeORM can be asked. What it throws before it is connected, and after, is no error that says so. */
  get isConnected(): boolean {
    return this.dataSource.isInitialized && !this.stopping.signal.aborted;
  }

  /** Runs `work` in the transaction of `outer`, or in one of its own. */
  async transaction<T>(outer: EntityManager | undefined, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (outer) return work(outer);
    let isCommitting = false;
    try {
      return await this.dataSource.transaction(async (manager) => {
        const result = await this.workWithin(manager, work);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      // COMMIT was not answered.
      throw isCommitting && !sqlStateOf(error) ? new DatabaseUnavailable(true, { cause: error }) : error;
    }
  }

  private async workWithin<T>(manager: EntityManager, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await work(manager);
    } catch (error) {
      const { queryRunner } = manager;
      // A connection to a former primary is whole, but good for nothing: the pool drops it.
      if (isStale(error)) void ((await queryRunner?.connect()) as pg.Client | undefined)?.end();
      // TypeORM has given up a connection that was lost. Without a COMMIT, nothing of the transaction was stored.
      const isLost = queryRunner?.isReleased || (error instanceof QueryFailedError && meaningOf(error) === 'unknown');
      throw isLost ? new DatabaseUnavailable(false, { cause: error }) : error;
    }
  }

  private async connect(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const names = await migrate(this.config, signal);
        if (names.length > 0) this.logger.log(`Migrated the database: ${names.join(', ')}`);
        await this.dataSource.initialize();
        return signal.aborted ? await this.dataSource.destroy() : this.note();
      } catch (error) {
        if (signal.aborted) return;
        if (!meaningOf(error)) throw error;
        this.note(reasonOf(error));
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  private async startEmbedded(): Promise<void> {
    if (!this.config.databaseUrl) await startEmbeddedPostgres(this.config.databaseDirectory);
  }

  private async ask(): Promise<void> {
    if (!this.dataSource.isInitialized) throw new Error(this.problem);
    try {
      const columns = this.dataSource.entityMetadatas.flatMap(({ columns: all, tablePath }) =>
        all.map(({ databaseName }) => `has_column_privilege('${tablePath}', '${databaseName}', 'SELECT')`),
      );
      // Fails where one is missing, and waits for no lock.
      const text = `SELECT current_setting('transaction_read_only') AS readonly, ${columns.join(' AND ')} AS allowed`;
      const [row] = await this.statements.probe(text);
      if (row?.['readonly'] === 'on') throw new Error('The server is read-only');
      if (!row?.['allowed']) throw new Error('The role may not read the tables');
      this.note();
    } catch (error) {
      this.note(reasonOf(error));
      throw error;
    }
  }

  /** Says each problem once. */
  private note(problem?: string): void {
    if (problem === this.problem) return;
    this.problem = problem;
    if (problem) this.logger.error(`The database cannot be used: ${problem}`);
    else this.logger.log('The database can be used.');
  }

  onModuleDestroy(): void {
    this.stopping.abort();
    clearInterval(this.checks);
  }
}
