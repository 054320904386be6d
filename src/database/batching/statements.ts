import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Availability } from '../availability.js';
import type { Tracing } from '../../observability/tracing.js';
import type { DatabaseConnection } from '../connection.js';
import { Refusals } from '../refusals.js';
import { createServerDriver, type WatchedPool } from '../server/server-driver.js';
import { serverClient } from '../server/server-client.js';
import { Channel } from './channel.js';
import { LANES } from './lanes.js';
import type { Row, Statement } from './statement.js';

const ATTRIBUTES = { 'db.system.name': 'postgresql' };

/** The two ways to the database: reads do not wait behind what is being committed. */
export class Statements {
  private readonly reads: Channel;
  private readonly writes: Channel;
  /** Those of the lanes on a server, with one connection for each lane. */
  readonly pools: WatchedPool[] = [];

  constructor(
    connection: DatabaseConnection,
    dataSource: DataSource,
    availability: Availability,
    private readonly tracing: Tracing,
  ) {
    const { Pool } = createServerDriver(availability);
    const named = connection.kind === 'embedded' || connection.preparedStatements;
    const route = { availability, refusals: new Refusals(), named };
    const channel = (kind: 'read' | 'write'): Channel => {
      if (connection.kind === 'embedded') {
        // One session: a lane takes TypeORM's only connection for a batch, and leaves it to others between two.
        const shared = () => (dataSource.driver as unknown as { master: pg.Pool }).master;
        return new Channel({ ...route, kind, pool: shared }, 1);
      }
      const pool = new Pool({ ...serverClient(connection), max: LANES[kind], idleTimeoutMillis: 0 });
      this.pools.push(pool);
      return new Channel({ ...route, kind, pool: () => pool }, LANES[kind]);
    };
    this.reads = channel('read');
    this.writes = channel('write');
  }

  read(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.reads.run(statement, values));
  }

  write(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.writes.run(statement, values));
  }

  /** Statements that wait for their turn, batches that wait for their answer, and connections. */
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
