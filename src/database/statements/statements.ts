import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Availability } from '../availability.js';
import type { DatabaseConnection } from '../connection.js';
import { types } from '../types.js';
import { createServerDriver } from '../server/server-driver.js';
import { serverClient } from '../server/server-client.js';
import { Channel } from './channel.js';
import { LANES } from './lanes.js';

/** The two ways to the database: reads do not wait behind what is being committed. */
export class Statements {
  readonly reads: Channel;
  readonly writes: Channel;
  private readonly pools: pg.Pool[] = [];

  constructor(connection: DatabaseConnection, dataSource: DataSource, availability: Availability) {
    const { Pool } = createServerDriver(availability);
    const named = connection.kind === 'embedded' || connection.preparedStatements;
    const channel = (kind: 'read' | 'write'): Channel => {
      if (connection.kind === 'embedded') {
        // One session: a lane takes TypeORM's only connection for a batch, and leaves it to others between two.
        const shared = () => (dataSource.driver as unknown as { master: pg.Pool }).master;
        return new Channel(shared, availability, { kind, lanes: 1, types, named });
      }
      const pool = new Pool({ ...serverClient(connection), max: LANES[kind], idleTimeoutMillis: 0 });
      this.pools.push(pool);
      return new Channel(() => pool, availability, { kind, lanes: LANES[kind], types, named });
    };
    this.reads = channel('read');
    this.writes = channel('write');
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
  }
}
