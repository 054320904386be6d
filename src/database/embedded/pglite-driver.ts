import type { Duplex } from 'node:stream';
import pg from 'pg';
import { type PgDriver, pgDriver, RowParsingClient } from '../pg-driver.js';
import { runHousekeeping } from './housekeeping.js';

const HOUSEKEEPING_INTERVAL_MS = 60_000;

/** Bounds the wait of a statement for the only connection, which a transaction may hold. */
const CONNECTION_TIMEOUT_MS = 10_000;

/** For an embedded engine. `connect` returns what takes the place of pg's socket. */
export function embeddedDriver(connect: () => Duplex): PgDriver {
  const embed = <Config extends pg.ClientConfig>(config?: Config) => ({
    ...(config as Config),
    connectionTimeoutMillis: config?.connectionTimeoutMillis ?? CONNECTION_TIMEOUT_MS,
    stream: connect,
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
