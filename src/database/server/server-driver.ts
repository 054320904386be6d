import pg from 'pg';
import type { Availability } from '../availability.js';
import { DatabaseOutage } from '../database-errors.js';
import { destroyConnection } from '../destroy-connection.js';
import { type PgDriver, pgDriver, RowParsingClient } from '../pg-driver.js';

type Callback = (error: Error | null, result?: unknown) => void;

/** The parameters of pg's startup message, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  getStartupConf: (this: pg.Client) => Record<string, string>;
};

/**
 * After a query timeout the answer may still arrive. pg would return the client to the pool, where the next statement
 * would wait for that answer, so the connection is destroyed before the caller sees the error.
 */
class TimeoutSafeClient extends RowParsingClient {
  /**
   * pg parses timestamps in ISO style only. As a startup parameter, the style overrides that of the role and the database,
   * `options` in the URL cannot replace it, and PgBouncer applies it to every connection that it lends.
   */
  getStartupConf(): Record<string, string> {
    return { ...getStartupConf.call(this), DateStyle: 'ISO' };
  }

  override query(...args: unknown[]): never {
    const run = super.query.bind(this) as (...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (isCallback(callback)) {
      const settle: Callback = (error, result) => this.settle(error, () => callback(error, result));
      return run(...args.slice(0, -1), settle) as never;
    }
    const result = run(...args);
    if (!isPromise(result)) return result as never;
    return result.catch(
      (error: Error) => new Promise((_resolve, reject) => this.settle(error, () => reject(error))),
    ) as never;
  }

  private settle(error: Error | null, settle: () => void): void {
    if (error?.message === 'Query read timeout') destroyConnection(this, settle);
    else settle();
  }
}

function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | undefined)?.catch === 'function';
}

export interface ServerPool extends pg.Pool {
  /** Connects even while the database counts as away, to detect that it is back. */
  probe(): Promise<pg.PoolClient>;
}

/** Its pools refuse at once while the database is away. */
export function serverDriver(availability: Availability): PgDriver<ServerPool> {
  class Pool extends pg.Pool implements ServerPool {
    private readonly open = new Set<pg.PoolClient>();

    constructor(options?: pg.PoolConfig) {
      super({ ...options, Client: TimeoutSafeClient });
      this.on('connect', (client) => this.open.add(client));
      this.on('remove', (client) => this.open.delete(client));
      this.on('error', () => {}); // an idle connection broke, and the pool has already removed it
      availability.onAway(() => {
        for (const client of this.open) destroyConnection(client);
      });
    }

    probe(): Promise<pg.PoolClient> {
      return super.connect();
    }

    override connect(callback?: unknown): never {
      const connect = super.connect.bind(this) as (callback?: unknown) => never;
      if (!availability.isAway) return connect(callback);
      const outage = new DatabaseOutage();
      if (!isCallback(callback)) return Promise.reject(outage) as never;
      process.nextTick(callback, outage);
      return undefined as never;
    }
  }

  return pgDriver(TimeoutSafeClient, Pool);
}
