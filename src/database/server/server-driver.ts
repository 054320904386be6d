import pg from 'pg';
import type { Availability } from '../availability.js';
import { DatabaseOutage } from '../outage.js';
import { letRowsBeRead } from '../rows.js';
import { hangUp } from './hang-up.js';

type Callback = (error: Error | null, result?: unknown) => void;

/** The parameters of pg's startup message, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  getStartupConf: (this: pg.Client) => Record<string, string>;
};

/**
 * A client whose statement ran out of time is in the middle of an answer that may still come. pg would hand it back to
 * the pool, and the next statement would wait for the same answer; so it is cut off before anybody hears of the error.
 */
class HonestClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    letRowsBeRead(this);
  }

  /**
   * The driver reads timestamps in ISO style only. As a parameter of its own, the style overrides that of the role and the
   * database, `options` in the URL cannot replace it, and PgBouncer applies it to whichever server connection it lends.
   */
  getStartupConf(): Record<string, string> {
    return { ...getStartupConf.call(this), DateStyle: 'ISO' };
  }

  override query(...args: unknown[]): never {
    const run = super.query.bind(this) as (...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (isCallback(callback)) {
      const tell: Callback = (error, result) => {
        if (hasTimedOut(error)) hangUp(this, () => callback(error, result));
        else callback(error, result);
      };
      return run(...args.slice(0, -1), tell) as never;
    }
    const result = run(...args);
    return (isPromise(result) ? result.catch((error: Error) => this.fail(error)) : result) as never;
  }

  private fail(error: Error): Promise<never> {
    return new Promise((_resolve, reject) => {
      if (hasTimedOut(error)) hangUp(this, () => reject(error));
      else reject(error);
    });
  }
}

function hasTimedOut(error: Error | null): boolean {
  return error?.message === 'Query read timeout';
}

function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | undefined)?.catch === 'function';
}

export interface WatchedPool extends pg.Pool {
  /** Connects even while the database counts as away, to find out whether it is back. */
  probe(): Promise<pg.PoolClient>;
}

export interface ServerDriver {
  readonly Pool: new (options?: pg.PoolConfig) => WatchedPool;
  readonly Client: typeof pg.Client;
  readonly types: typeof pg.types;
  readonly defaults: typeof pg.defaults;
}

/** The parts of the module `pg` that TypeORM uses, with pools that know when there is nothing to connect to. */
export function createServerDriver(availability: Availability): ServerDriver {
  class Pool extends pg.Pool implements WatchedPool {
    private readonly open = new Set<pg.PoolClient>();

    constructor(options?: pg.PoolConfig) {
      super({ ...options, Client: HonestClient });
      this.on('connect', (client) => this.open.add(client));
      this.on('remove', (client) => this.open.delete(client));
      // An idle connection broke: the pool has dropped it, and nobody was waiting.
      this.on('error', () => {});
      availability.onAway(() => {
        for (const client of this.open) hangUp(client);
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

  return { Pool, Client: HonestClient, types: pg.types, defaults: pg.defaults };
}
