import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withTimeout } from '../common/with-timeout.js';
import type { Availability } from './availability.js';
import type { DatabaseConnection } from './connection.js';
import { requireFit } from './batching/require-fit.js';
import { isConnectFailure } from './connect-failures.js';
import type { ClusterNodes } from './distribution.js';
import { requireWord } from './require-kept.js';
import { migrate, type Migration, type Tables } from './migrator.js';
import { DatabaseOutage, isDatabaseOutage } from './database-errors.js';
import { EngineWatch } from './embedded/engine-watch.js';
import { Heartbeat } from './server/heartbeat.js';
import { ReadinessProbe } from './readiness-probe.js';
import { meaningOf } from './sqlstate.js';
import { serverClient } from './server/server-client.js';
import type { StatementQueues } from './batching/statement-queues.js';

const RETRY_MS = 500;
const SHUTDOWN_MS = 3_000;

/** Migrates and connects, in the background and for as long as it takes; disconnects at shutdown. */
@Injectable()
export class Database implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private readonly probe: ReadinessProbe;
  private readonly heartbeat: Heartbeat | EngineWatch;
  private readonly nodes: ClusterNodes | undefined;
  private connected: Promise<void> = Promise.resolve();
  private problem = '';

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: DatabaseConnection,
    private readonly migrations: Migration[],
    private readonly tables: Tables,
    private readonly availability: Availability,
    private readonly queues: StatementQueues,
  ) {
    const isServer = connection.kind === 'server';
    if (isServer) this.nodes = connection.distribution?.nodes(serverClient(connection));
    this.probe = new ReadinessProbe(dataSource, queues, isServer, this.nodes);
    this.heartbeat = isServer
      ? new Heartbeat(serverClient(connection), queues.pools, availability)
      : new EngineWatch(connection.engine, availability);
  }

  onModuleInit(): void {
    this.connected = this.connect();
    this.connected.catch((error: unknown) => this.logger.fatal(error));
  }

  /** Resolves when the database is connected and migrated; rejects when a migration fails. */
  whenReady(): Promise<void> {
    return this.connected;
  }

  /** Whether the tables are spread over a cluster. */
  get isDistributed(): boolean {
    return this.queues.isDistributed;
  }

  /** Why the latest attempt to connect failed; empty when none has failed. */
  get connectionProblem(): string {
    return this.problem;
  }

  /** Rejects when requests cannot be served: the database is away, or its tables do not fit the entities. */
  async checkReadiness(): Promise<void> {
    if (this.queues.standbys?.canReadStale) return;
    this.availability.check();
    await this.probe.run();
  }

  /** The nodes of a cluster that were missing at the last check of readiness. What the others store can be used. */
  get missingNodes(): readonly string[] {
    return this.probe.missing;
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    // A frozen server must not delay the shutdown.
    await withTimeout(this.close(), SHUTDOWN_MS, () => {});
  }

  private async close(): Promise<void> {
    await this.connected.catch(() => {});
    await this.heartbeat.stop();
    await this.queues.close();
    await this.nodes?.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    if (this.connection.kind === 'embedded') await this.connection.engine.close();
  }

  private async connect(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const engine = this.connection.kind === 'embedded' ? this.connection.engine : undefined;
        const ran = engine?.isGuest
          ? []
          : await migrate(this.connection, this.migrations, signal, this.tables);
        if (ran.length > 0) this.logger.log(`Migrated the database: ${ran.join(', ')}`);
        if (!this.dataSource.isInitialized) await this.dataSource.initialize();
        this.checkEntities();
        await this.checkSession();
        await this.heartbeat.start();
        this.queues.standbys?.start();
        engine?.admitGuests();
        if (this.problem) this.logger.log('The database is connected.');
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTemporary(error)) throw error;
        const problem = error instanceof DatabaseOutage ? error.message : String(error);
        if (problem !== this.problem) {
          this.logger.error(`The database cannot be used; trying again until it can: ${problem}`);
        }
        this.problem = problem;
        await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  private async checkSession(): Promise<void> {
    if (this.connection.kind !== 'server') return;
    await this.connection.session?.pinSearchPath(this.dataSource);
    // PgBouncer in statement mode refuses transactions, and only those.
    if (!this.connection.preparedStatements)
      await this.dataSource.transaction((own) => own.query('SELECT 1'));
  }

  private checkEntities(): void {
    for (const entity of this.tables.entities) {
      // The entity may belong to another application of this process.
      if (!this.dataSource.hasMetadata(entity)) continue;
      const metadata = this.dataSource.getMetadata(entity);
      requireFit(metadata);
      requireWord(metadata);
    }
  }
}

/** A wrong password or a missing database can be fixed without a restart; a faulty migration cannot. */
function isTemporary(error: unknown): boolean {
  if (isConnectFailure(error)) return true;
  const { code } = error as { code?: unknown };
  return isDatabaseOutage(error) && !(typeof code === 'string' && meaningOf(code) === 'schema');
}
