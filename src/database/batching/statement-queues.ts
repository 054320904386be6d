import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Tracing } from '../../observability/tracing.js';
import type { Availability } from '../availability.js';
import type { DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS, QUEUE_CONNECTIONS } from '../limits.js';
import type { RefusalLog } from '../refusal-log.js';
import { serverClient } from '../server/server-client.js';
import { serverDriver, type ServerPool } from '../server/server-driver.js';
import { StandbyReads } from '../standbys/standby-reads.js';
import { RecentLock } from './batch-plan.js';
import { RecordedSender } from './recorded-sender.js';
import type { Hold, Row, Statement } from './statement.js';
import { StatementQueue } from './statement-queue.js';

/** For connections that are not shared with others by a pooler. */
const LIMITS = {
  lock_timeout: DATABASE_LIMITS.lockMs,
  // The server itself ends the transaction of a replica that freezes before it commits.
  idle_in_transaction_session_timeout: DATABASE_LIMITS.waitMs + DATABASE_LIMITS.answerMs,
};
const ATTRIBUTES = { 'db.system.name': 'postgresql' };

/** Queues for reads, writes and recorded inserts, so that on a server none waits for the commits of another. */
export class StatementQueues {
  private readonly reads: StatementQueue | StandbyReads;
  private readonly primaryReads: StatementQueue;
  /** If there are any. */
  readonly standbys: StandbyReads | undefined;
  private readonly writes: StatementQueue;
  private readonly recorded: StatementQueue;
  /** The pools on a server of what every request needs. */
  readonly pools: ServerPool[] = [];
  private readonly allPools: ServerPool[] = [];

  constructor(
    connection: DatabaseConnection,
    dataSource: DataSource,
    availability: Availability,
    refusals: RefusalLog,
    private readonly tracing: Tracing,
  ) {
    const { Pool } = serverDriver(availability);
    const named = connection.kind === 'embedded' ? !connection.engine.isGuest : connection.preparedStatements;
    const isEmbedded = connection.kind === 'embedded';
    const target = { availability, refusals, named, isEmbedded };
    const queue = (kind: 'read' | 'write', max: number, Sender?: typeof RecordedSender): StatementQueue => {
      const locks = new RecentLock();
      if (connection.kind === 'embedded') {
        // The engine has one session, so a batch borrows TypeORM's only connection.
        const shared = () => (dataSource.driver as unknown as { master: pg.Pool }).master;
        return new StatementQueue({ ...target, kind, locks, pool: shared }, 1, Sender);
      }
      const pool = new Pool({
        ...serverClient(connection),
        ...(connection.preparedStatements && LIMITS),
        max,
        idleTimeoutMillis: 0,
      });
      this.allPools.push(pool);
      return new StatementQueue({ ...target, kind, locks, pool: () => pool }, max, Sender);
    };
    this.primaryReads = queue('read', QUEUE_CONNECTIONS.read);
    this.standbys =
      connection.kind === 'server' && connection.standbyUrls?.length
        ? new StandbyReads(connection, this.primaryReads, availability)
        : undefined;
    this.reads = this.standbys ?? this.primaryReads;
    this.writes = queue('write', QUEUE_CONNECTIONS.write);
    this.pools.push(...this.allPools);
    this.recorded = queue('write', QUEUE_CONNECTIONS.recorded, RecordedSender);
  }

  /** Sees every acknowledged change, wherever it is answered. */
  read(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.reads.run(statement, values));
  }

  /** For what decides what is changed. */
  readAtPrimary(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.primaryReads.run(statement, values));
  }

  /** For what decides who may do something. Stale reads need it while the primary is away. */
  readPermission(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.standbys?.canReadStale
      ? this.standbys.readStale(statement, values)
      : this.readAtPrimary(statement, values);
  }

  write(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.writes.run(statement, values));
  }

  /** An insert that is committed together with a companion. Resolves after the commit. */
  writeRecorded(statement: Statement, values: readonly unknown[], hold: Hold<Row[]>): Promise<unknown> {
    return this.tracing.span(statement.name, ATTRIBUTES, () =>
      this.recorded.runRecorded(statement, values, hold),
    );
  }

  /** Queued statements, unanswered batches, open connections. */
  get load(): { waiting: number; underWay: number; connections: number } {
    const loads = [this.reads.load, this.writes.load, this.recorded.load];
    return {
      waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
      underWay: loads.reduce((sum, { underWay }) => sum + underWay, 0),
      connections: this.allPools.reduce((sum, pool) => sum + pool.totalCount, 0),
    };
  }

  async close(): Promise<void> {
    await this.standbys?.stop();
    await Promise.all(this.allPools.map((pool) => pool.end()));
  }
}
