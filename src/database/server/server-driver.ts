import pg, { type Connection } from 'pg';
import type { Availability } from '../availability.js';
import { DatabaseBusy, DatabaseOutage } from '../database-errors.js';
import { destroyConnection, whenClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { type PgDriver, pgDriver, RowParsingClient } from '../pg-driver.js';
import { isHalfAnswered, readRows } from '../row-parser.js';
import type { SessionConfig } from './server-client.js';
import type { Session } from './session.js';

/** pg parses timestamps in ISO style only. PgBouncer applies these to every connection that it lends. */
const STYLES = { DateStyle: 'ISO', TimeZone: 'UTC', standard_conforming_strings: 'on' };

type Callback = (error: Error | null, result?: unknown) => void;

/** The parameters of pg's startup message, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  getStartupConf: (this: pg.Client) => Record<string, string>;
};

/** The method with which pg's pool takes a client back, which its types hide. */
type Release = (this: pg.Pool, client: pg.PoolClient, idleListener: () => void, error?: unknown) => void;
const { _release } = pg.Pool.prototype as unknown as { _release: Release };

const ignore = (): void => {};

/**
 * After a query timeout the answer may still arrive. pg would return the client to the pool, where the next statement
 * would wait for that answer, so the connection is abandoned before the caller sees the error.
 */
class TimeoutSafeClient extends RowParsingClient {
  isAbandoned = false;
  private readonly session: Session | undefined;

  constructor(config?: string | SessionConfig) {
    super(config);
    if (typeof config === 'object') this.session = config.session;
  }

  /**
   * PostgreSQL does not notice a closed connection while a commit waits for a standby, and each replacement would be one
   * more server process. So the connection stays until the server has answered, and its pool counts it.
   */
  override abandon(answers: number, after: () => void): void {
    const { connection, readyForQuery: isIdle } = this as unknown as {
      connection: Connection;
      readyForQuery: boolean;
    };
    if (isIdle || connection.stream.closed || isHalfAnswered(connection)) {
      destroyConnection(this, after);
      return;
    }
    this.isAbandoned = true;
    this.on('error', ignore);
    let owed = answers;
    readRows(connection, ignore, ({ name }) => {
      if (name === 'readyForQuery' && --owed === 0) destroyConnection(this);
      return true;
    });
    after();
  }

  /** Startup parameters override the settings of the role and the database. */
  getStartupConf(): Record<string, string> {
    const { options = '', ...others } = getStartupConf.call(this);
    const all = this.session ? `${this.session.options} ${options}` : options;
    return { ...others, ...(all && { options: all }), ...STYLES };
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
    if (error?.message === 'Query read timeout') this.abandon(1, settle);
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
  readonly hasAbandoned: boolean;
}

/** Its pools refuse at once while the database is away, or while too many of their connections are abandoned. */
export function serverDriver(availability: Availability): PgDriver<ServerPool> {
  class Pool extends pg.Pool implements ServerPool {
    private readonly open = new Set<pg.PoolClient>();
    /** Released, but not yet answered. */
    private readonly abandoned = new Set<pg.PoolClient>();
    private readonly size = this.options.max;

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

    get hasAbandoned(): boolean {
      return this.abandoned.size > 0;
    }

    override connect(callback?: unknown): never {
      const connect = super.connect.bind(this) as (callback?: unknown) => never;
      const isBlocked = this.abandoned.size >= DATABASE_LIMITS.abandoned;
      if (!availability.isAway && !isBlocked) return connect(callback);
      const outage = isBlocked ? new DatabaseBusy() : new DatabaseOutage();
      if (!isCallback(callback)) return Promise.reject(outage) as never;
      process.nextTick(callback, outage);
      return undefined as never;
    }

    override end(callback?: unknown): never {
      for (const client of this.abandoned) destroyConnection(client);
      return (super.end as (callback?: unknown) => never)(callback);
    }

    /** pg's pool calls it for every client that is released. */
    _release(client: pg.PoolClient & TimeoutSafeClient, idleListener: () => void, error?: unknown): void {
      if (!client.isAbandoned) {
        _release.call(this, client, idleListener, error);
        return;
      }
      this.abandoned.add(client);
      this.resize();
      whenClosed(client, () => {
        this.abandoned.delete(client);
        this.resize();
        _release.call(this, client, idleListener, true);
      });
    }

    /** Others take the places of the abandoned ones. */
    private resize(): void {
      this.options.max = this.size + Math.min(this.abandoned.size, DATABASE_LIMITS.abandoned);
    }
  }

  return pgDriver(TimeoutSafeClient, Pool);
}
