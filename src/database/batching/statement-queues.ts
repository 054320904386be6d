import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Tracing } from '../../observability/tracing.js';
import type { Availability } from '../availability.js';
import type { DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS, QUEUE_CONNECTIONS } from '../limits.js';
import type { RefusalLog } from '../refusal-log.js';
import { serverClient } from '../server/server-client.js';
import { serverDriver, type ServerPool } from '../server/server-driver.js';
import { RecentLock } from './batch-plan.js';
import type { Row, Statement } from './statement.js';
import { StatementQueue } from './statement-queue.js';

const ATTRIBUTES = { 'db.system.name': 'postgresql' };

/** One queue for reads and one for writes, so that reads on a server do not wait for commits. */
export class StatementQueues {
  private readonly reads: StatementQueue;
  private readonly writes: StatementQueue;
  /** The pools of the queues on a server. */
  readonly pools: ServerPool[] = [];

  constructor(
    connection: DatabaseConnection,
    dataSource: DataSource,
    availability: Availability,
    refusals: RefusalLog,
    private readonly tracing: Tracing,
  ) {
    const { Pool } = serverDriver(availability);
    const named = connection.kind === 'embedded' || connection.preparedStatements;
    const target = { availability, refusals, named };
    const queue = (kind: 'read' | 'write'): StatementQueue => {
      const locks = new RecentLock();
      if (connection.kind === 'embedded') {
        // The engine has one session, so a batch borrows TypeORM's only connection.
        const shared = () => (dataSource.driver as unknown as { master: pg.Pool }).master;
        return new StatementQueue({ ...target, kind, locks, pool: shared }, 1);
      }
      const max = QUEUE_CONNECTIONS[kind];
      const pool = new Pool({
        ...serverClient(connection),
        ...(connection.preparedStatements && { lock_timeout: DATABASE_LIMITS.lockMs }),
        max,
        idleTimeoutMillis: 0,
      });
      this.pools.push(pool);
      return new StatementQueue({ ...target, kind, locks, pool: () => pool }, max);
    };
    this.reads = queue('read');
    this.writes = queue('write');
  }

  read(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.reads.run(statement, values));
  }

  write(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.writes.run(statement, values));
  }

  /** Queued statements, unanswered batches, open connections. */
  get load(): { waiting: number; underWay: number; connections: number } {
    const { reads, writes, pools } = this;
    return {
      waiting: reads.load.waiting + writes.load.waiting,
      underWay: reads.load.underWay + writes.load.underWay,
      connections: pools.reduce((sum, pool) => sum + pool.totalCount, 0),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
  }
}
