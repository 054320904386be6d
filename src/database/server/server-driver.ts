import pg, { DatabaseError } from 'pg';
import type { Availability, ServerClient } from '../availability.js';
import { DatabaseBusy, DatabaseOutage, meaningOfError } from '../database-errors.js';
import { destroyConnection, whenClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { type PgDriver, pgDriver } from '../pg-driver.js';
import { type Callback, isCallback, TimeoutSafeClient } from './timeout-safe-client.js';

/** The method with which pg's pool takes a client back, which its types hide. */
type Release = (this: pg.Pool, client: pg.PoolClient, idleListener: () => void, error?: unknown) => void;
const { _release } = pg.Pool.prototype as unknown as { _release: Release };

const { abandoned: MOST_ABANDONED, hungMs, stalledMs } = DATABASE_LIMITS;
/** As pg's pool says it. */
const POOL_IS_FULL = /^timeout exceeded when trying to connect/;

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
      const release = (reason: unknown): void => _release.call(this, client, idleListener, reason);
      if (!client.isAbandoned) {
        if (client.isOutdated && !this.ending) client.endSession(() => release(true));
        else release(error);
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
        release(true);
      });
    }

    /** Whatever keeps a connection from being made, such as a certificate, is an outage. A start tells the reason itself. */
    private telling(callback: Callback): Callback {
      return (error, ...rest) => {
        const isOther = !availability.isStarting && error && !saysMore(error);
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

/** A known code tells more than `DatabaseOutage`. Some poolers have codes of their own. */
function saysMore(error: Error): boolean {
  return (
    error instanceof DatabaseOutage || (error instanceof DatabaseError && meaningOfError(error) !== 'own')
  );
}

/** When no address of a host could be reached, the error has no message. */
function codeOf(error: Error): string {
  return String((error as { code?: unknown }).code);
}
