import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Availability } from './availability.js';
import type { DatabaseConnection } from './connection.js';
import { migrate, type Migration } from './migrator.js';
import { isDatabaseOutage } from './outage.js';
import { Heartbeat } from './server/heartbeat.js';
import { Probe } from './probe.js';
import { meaningOf } from './sqlstate.js';
import { serverClient } from './server/server-client.js';
import type { Statements } from './batching/statements.js';

const RETRY_MS = 500;
const SHUTDOWN_MS = 3_000;

/** The life of the database connection: migrate and connect, in the background and for as long as it takes. */
@Injectable()
export class Database implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private readonly probe: Probe;
  private readonly heartbeat: Heartbeat | undefined;
  private connected: Promise<void> = Promise.resolve();
  private problem = '';

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: DatabaseConnection,
    private readonly migrations: Migration[],
    private readonly availability: Availability,
    private readonly statements: Statements,
  ) {
    this.probe = new Probe(dataSource, statements, connection.kind === 'server');
    if (connection.kind === 'server') {
      this.heartbeat = new Heartbeat(serverClient(connection), statements.pools, availability);
    }
  }

  onModuleInit(): void {
    this.connected = this.connect();
    this.connected.catch((error: unknown) => this.logger.fatal(error));
  }

  /** Settles when the schema is up to date and statements can be sent; rejects when a migration fails. */
  whenReady(): Promise<void> {
    return this.connected;
  }

  /** Why the last attempt to connect failed; empty when none has. */
  get connectionProblem(): string {
    return this.problem;
  }

  /** Fails when requests cannot be answered: the database is away, or its tables are not those that statements need. */
  async ping(): Promise<void> {
    this.availability.check();
    await this.probe.run();
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    // A server that froze would keep us waiting, and nobody waits for the answer any more.
    await Promise.race([this.close(), delay(SHUTDOWN_MS, undefined, { ref: false })]);
  }

  private async close(): Promise<void> {
    await this.connected.catch(() => {});
    await this.heartbeat?.stop();
    await this.statements.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    if (this.connection.kind === 'embedded') await this.connection.engine.close();
  }

  /** Tries as often as it takes, as long as it is the server that is missing and not something that stays wrong. */
  private async connect(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const ran = await migrate(this.connection, this.migrations, signal);
        if (ran.length > 0) this.logger.warn(`Migrated the database: ${ran.join(', ')}`);
        await this.dataSource.initialize();
        if (this.heartbeat) await this.heartbeat.start();
        else this.availability.found();
        if (this.problem) this.logger.warn('The database is connected.');
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isWorthAnotherTry(error)) throw error;
        const problem = String(error);
        if (problem !== this.problem) {
          this.logger.error(`The database cannot be used; trying again until it can: ${problem}`);
        }
        this.problem = problem;
        await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}

/** An outage passes; a wrong password or a missing database can be put right without a restart; a faulty migration cannot. */
function isWorthAnotherTry(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return isDatabaseOutage(error) && !(typeof code === 'string' && meaningOf(code) === 'schema');
}
