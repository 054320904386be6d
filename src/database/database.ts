import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Config } from '../common/config.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { DatabaseUnavailable, meaningOf, reasonOf } from './errors.js';
import { migrate } from './migrate.js';
import { Statements } from './statements.js';

const RETRY_MS = 300;
/** For the log and the metrics; requests find out by themselves. */
const CHECK_EVERY_MS = 2_000;

/** Migrates and connects in the background, for as long as it takes, and says whether the database can be used. */
@Injectable()
export class Database implements OnModuleInit, OnModuleDestroy {
  /** Why the latest attempt to use the database failed. */
  problem: string | undefined;

  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private connected = Promise.resolve();
  private checking: Promise<void> | undefined;
  private checks: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
    private readonly config: Config,
    registry: Registry,
  ) {
    const collect = (): void => gauge.set(Number(this.isReady && this.problem === undefined));
    const help = '1 while the database can be used.';
    const gauge = new Gauge({ name: 'database_up', help, registers: [registry], collect });
  }

  async onModuleInit(): Promise<void> {
    await this.startEmbedded();
    this.connected = this.connect();
    this.connected.catch((error: unknown) => this.note(reasonOf(error)));
  }

  /** Resolves when the database is connected and migrated. Rejects when a migration fails. */
  whenReady(): Promise<void> {
    return this.connected;
  }

  /** Whether it is connected and migrated. */
  get isReady(): boolean {
    return this.dataSource.isInitialized;
  }

  /** Asks the database for what the operations need. Those who ask at the same time share the answer. */
  check(): Promise<void> {
    this.checking ??= this.ask().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async connect(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const names = await migrate(this.config, signal);
        if (names.length > 0) this.logger.log(`Migrated the database: ${names.join(', ')}`);
        await this.dataSource.initialize();
        if (signal.aborted) return await this.dataSource.destroy();
        this.note();
        this.checks = setInterval(() => void this.observe(), CHECK_EVERY_MS).unref();
        return;
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

  /** An embedded server that was killed does not come back by itself. */
  private async observe(): Promise<void> {
    await this.check().catch(() => this.startEmbedded().catch(() => {}));
  }

  private async ask(): Promise<void> {
    if (!this.isReady) throw new DatabaseUnavailable(false);
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
    } catch (cause) {
      this.note(reasonOf(cause));
      throw new DatabaseUnavailable(false, { cause });
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
