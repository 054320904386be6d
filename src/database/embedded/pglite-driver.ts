import pg from 'pg';
import { type PgDriver, pgDriver, RowParsingClient } from '../pg-driver.js';
import { runHousekeeping } from './housekeeping.js';
import type { PGliteSession } from './pglite-session.js';
import { PGliteStream } from './pglite-stream.js';

const HOUSEKEEPING_INTERVAL_MS = 60_000;

/** Bounds the wait of a statement for the only connection, which a transaction may hold. */
const CONNECTION_TIMEOUT_MS = 10_000;

/** Backed by an embedded engine. */
export function embeddedDriver(session: PGliteSession): PgDriver {
  const embed = <Config extends pg.ClientConfig>(config?: Config) => ({
    ...(config as Config),
    connectionTimeoutMillis: config?.connectionTimeoutMillis ?? CONNECTION_TIMEOUT_MS,
    stream: () => new PGliteStream(session),
    // Explicit, because pg takes missing options from the environment.
    connectionString: undefined,
    ssl: false,
    sslnegotiation: 'postgres' as const,
  });

  class EmbeddedClient extends RowParsingClient {
    constructor(config?: string | pg.ClientConfig) {
      super(embed(typeof config === 'string' ? {} : config));
    }
  }

  class EmbeddedPool extends pg.Pool {
    constructor(config?: pg.PoolConfig) {
      super({ ...embed(config), max: 1, Client: EmbeddedClient });
      const housekeeping = setInterval(() => {
        if (this.ending) clearInterval(housekeeping);
        else void runHousekeeping(this);
      }, HOUSEKEEPING_INTERVAL_MS).unref();
    }
  }

  return pgDriver(EmbeddedClient, EmbeddedPool);
}
