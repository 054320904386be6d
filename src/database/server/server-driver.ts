import pg, { type Connection, DatabaseError } from 'pg';
import type { Availability, ServerClient } from '../availability.js';
import { DatabaseBusy, DatabaseOutage } from '../database-errors.js';
import { destroyConnection, isClosed, whenClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { type PgDriver, pgDriver, RowParsingClient } from '../pg-driver.js';
import { isHalfAnswered, readRows } from '../row-parser.js';
import type { SessionConfig } from './server-client.js';
import { SERVER } from './server-identity.js';
import type { Session } from './session.js';

/** pg parses timestamps in ISO style only. PgBouncer applies these to every connection that it lends. */
const STYLES = { DateStyle: 'ISO', TimeZone: 'UTC', standard_conforming_strings: 'on' };

const ASK_SERVER = `SELECT (${SERVER})::text AS server`;

type Callback = (error: Error | null, ...results: unknown[]) => void;

/** The parameters of pg's startup message, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  getStartupConf: (this: pg.Client) => Record<string, string>;
};

/** The method with which pg's pool takes a client back, which its types hide. */
type Release = (this: pg.Pool, client: pg.PoolClient, idleListener: () => void, error?: unknown) => void;
const { _release } = pg.Pool.prototype as unknown as { _release: Release };

const { abandoned: MOST_ABANDONED, hungMs, stalledMs } = DATABASE_LIMITS;
const ignore = (): void => {};
/** As pg's pool says it. */
const POOL_IS_FULL = /^timeout exceeded when trying to connect/;

/**
 * After a query timeout the answer may still arrive. pg would return the client to the pool, where the next statement
 * would wait for that answer, so the connection is abandoned before the caller sees the error.
 */
class TimeoutSafeClient extends RowParsingClient {
  isAbandoned = false;
  server: string | undefined;
  private readonly session: Session | undefined;

  constructor(config?: string | SessionConfig) {
    super(config);
    if (typeof config === 'object') this.session = config.session;
  }

  /**
   * PostgreSQL does not notice a closed connection while a commit waits for a standby, and each replacement would be one
   * more server process. So the connection stays until the server has answered, and its pool counts it. `StallWatch`
   * closes it earlier if its server process does not work on the answer.
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
    let owed = answers;
    readRows(connection, ignore, ({ name }) => {
      if (name === 'readyForQuery' && --owed === 0) destroyConnection(this);
      return true;
    });
    after();
  }

  /** A connection counts as made once it has told its server, unless the server refuses to. */
  override connect(callback?: unknown): never {
    const connect = super.connect.bind(this) as (callback?: Callback) => never;
    if (!this.session || !isCallback(callback)) return connect(callback as Callback);
    return connect((error) => {
      if (error) callback(error);
      else
        this.query(ASK_SERVER, (failure: Error | null, result?: pg.QueryResult<{ server: string }>) => {
          this.server = result?.rows[0]?.server;
          const isEnding = failure instanceof DatabaseError && failure.code?.startsWith('57P');
          if (isEnding) destroyConnection(this);
          callback(isClosed(this) ? failure : null);
        });
    });
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

/** When no address of a host could be reached, the error has no message. */
function codeOf(error: Error): string {
  return String((error as { code?: unknown }).code);
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
  const { connections } = availability;
  availability.onAway(() => {
    for (const client of connections) destroyConnection(client);
  });

  class Pool extends pg.Pool implements ServerPool {
    /** Released, but not yet answered. */
    private readonly abandoned = new Set<ServerClient>();
    private abandonedAt = -Infinity;
    private readonly size = this.options.max;

    constructor(options?: pg.PoolConfig) {
      super({ ...options, Client: TimeoutSafeClient });
      this.on('connect', (client) => {
        connections.add(client);
        availability.recordConnection();
      });
      this.on('remove', (client) => connections.delete(client));
      this.on('error', () => {}); // an idle connection broke, and the pool has already removed it
    }

    probe(): Promise<pg.PoolClient> {
      return super.connect();
    }

    get hasAbandoned(): boolean {
      return this.abandoned.size > 0;
    }

    override connect(callback?: unknown): never {
      const connect = super.connect.bind(this) as (callback?: unknown) => never;
      const { isBlocked } = this;
      if (!availability.isAway && !isBlocked)
        return connect(isCallback(callback) ? this.telling(callback) : callback);
      const outage = isBlocked ? this.stall() : new DatabaseOutage();
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
      this.abandonedAt = performance.now();
      availability.overdue.add(client);
      this.resize();
      whenClosed(client, () => {
        this.abandoned.delete(client);
        availability.overdue.delete(client);
        this.resize();
        _release.call(this, client, idleListener, true);
      });
    }

    /** Whatever keeps a connection from being made, such as a certificate, is an outage. The server's own answers say more. */
    private telling(callback: Callback): Callback {
      return (error, ...rest) => {
        // A start tells the reason itself.
        const isOther =
          availability.isAvailable &&
          error &&
          !(error instanceof DatabaseOutage || error instanceof DatabaseError);
        if (isOther && !POOL_IS_FULL.test(error.message))
          availability.recordFailedConnection(error.message || codeOf(error));
        callback(isOther ? new DatabaseOutage(undefined, { cause: error }) : error, ...rest);
      };
    }

    private get isBlocked(): boolean {
      if (this.abandoned.size < MOST_ABANDONED) return false;
      this.resize(); // some may hang for long by now
      return this.abandoned.size >= this.mostAbandoned;
    }

    /** A cause makes it conclusive for readiness. */
    private stall(): DatabaseBusy {
      const isLasting = performance.now() - this.abandonedAt > stalledMs;
      return new DatabaseBusy(isLasting ? { cause: new Error('The connections are overdue.') } : {});
    }

    /** Others take the places of the abandoned ones. */
    private resize(): void {
      this.options.max = this.size + Math.min(this.abandoned.size, this.mostAbandoned);
    }

    private get mostAbandoned(): number {
      const since = performance.now() - hungMs;
      const hung = [...this.abandoned].filter(({ hangsSince = Infinity }) => hangsSince <= since);
      return MOST_ABANDONED + Math.min(hung.length, MOST_ABANDONED);
    }
  }

  return pgDriver(TimeoutSafeClient, Pool);
}
