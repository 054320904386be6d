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
/** How often the state in the log and the metrics is renewed. Requests do not depend on it: they just try. */
const CHECK_EVERY_MS = 2_000;

/** Migrates and connects in the background, however long the server is away, and observes whether it can be used. */
@Injectable()
export class Database implements OnModuleInit, OnModuleDestroy {
  /** Why the database cannot be used; undefined while it can. */
  problem: string | undefined = 'It is not ready yet, or another process is migrating it.';
  /** Resolves when the database is ready, or the service stops. Rejects at an error that trying again cannot mend. */
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

  /** Rejects if the database cannot serve the operations. Simultaneous calls share one query. */
  check(): Promise<void> {
    return (this.checking ??= this.ask().finally(() => (this.checking = undefined)));
  }

  /** Whether TypeORM is connected. While it is not, its errors look like mistakes in our code, but the filter answers 503. */
  get isConnected(): boolean {
    return this.dataSource.isInitialized && !this.stopping.signal.aborted;
  }

  /** Runs `work` in the transaction of `outer`, or else in a new one. */
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
      // The server did not answer COMMIT, so the change may have been stored.
      throw isCommitting && !sqlStateOf(error) ? new DatabaseUnavailable(true, { cause: error }) : error;
    }
  }

  private async workWithin<T>(manager: EntityManager, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await work(manager);
    } catch (error) {
      const { queryRunner } = manager;
      // Ends the connection, so that the pool keeps none to a former primary. `connect()` returns the one that is open.
      if (isStale(error)) void ((await queryRunner?.connect()) as pg.Client | undefined)?.end();
      // If the connection was lost, TypeORM has released it. COMMIT was not sent, so nothing of the transaction was stored.
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
      // The query fails if a table or column is missing. Reading the tables instead could wait for a lock.
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

  /** Logs a problem when it begins or changes, instead of at every check. */
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
