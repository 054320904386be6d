import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DatabaseConnection } from './connection.js';
import { migrate, type Migration } from './migrator.js';
import { isDatabaseOutage } from './outage.js';

const RETRY_MS = 500;
const PING_MS = 1_000;

export class DatabaseNotReadyError extends Error {
  override readonly name = 'DatabaseNotReadyError';
}

/** The life of the database connection: migrate and connect, in the background and for as long as it takes. */
@Injectable()
export class Database implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(Database.name);
  private readonly stopping = new AbortController();
  private connected: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: DatabaseConnection,
    private readonly migrations: Migration[],
  ) {}

  onModuleInit(): void {
    this.connected = this.connect();
    this.connected.catch(() => {}); // whoever waits for it hears of it
  }

  /** Settles when the schema is up to date and statements can be sent; rejects when a migration fails. */
  whenReady(): Promise<void> {
    return this.connected;
  }

  /** Asks the database itself, and not for long. */
  async ping(): Promise<void> {
    if (!this.dataSource.isInitialized) throw new DatabaseNotReadyError('The database is not connected yet.');
    const late = delay(PING_MS, undefined, { ref: false }).then(() => {
      throw new DatabaseNotReadyError('The database does not answer.');
    });
    await Promise.race([this.dataSource.query('SELECT 1'), late]);
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connected.catch(() => {});
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    if (this.connection.kind === 'embedded') await this.connection.engine.close();
  }

  private async connect(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        const ran = await migrate(this.connection, this.migrations);
        if (ran.length > 0) this.logger.warn(`Migrated the database: ${ran.join(', ')}`);
        await this.dataSource.initialize();
        return;
      } catch (error) {
        if (!isDatabaseOutage(error)) throw error;
        this.logger.warn(`The database cannot be reached; trying again: ${String(error)}`);
        await delay(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => {});
      }
    }
  }
}
