import { Socket } from 'node:net';
import pg from 'pg';
import { lookup } from '../common/lookup.js';
import { destroyConnection } from './destroy-connection.js';
import { DATABASE_LIMITS } from './limits.js';
import { installRowParser } from './row-parser.js';

/** The parts of the module `pg` that TypeORM uses. */
export interface PgDriver<Pool extends pg.Pool = pg.Pool> {
  readonly Pool: new (options?: pg.PoolConfig) => Pool;
  readonly Client: typeof pg.Client;
  readonly types: typeof pg.types;
  readonly defaults: typeof pg.defaults;
}

/** Both drivers, of the server and of the embedded engine, differ from `pg` in their clients and pools only. */
export function pgDriver<Pool extends pg.Pool>(
  Client: typeof RowParsingClient,
  Pool: PgDriver<Pool>['Pool'],
): PgDriver<Pool> {
  return { Pool, Client, types: pg.types, defaults: pg.defaults };
}

/** A client that can run a pipelined batch. Neither what the server does nor a missing file ends the process. */
export class RowParsingClient extends pg.Client {
  private readonly madeAt = performance.now();

  constructor(config?: string | pg.ClientConfig) {
    try {
      super(withLookup(config));
    } catch (error) {
      // Each client reads the files of `sslrootcert`, `sslcert` and `sslkey`. Without one it fails as without the server.
      super({ stream: () => failing(error as Error) });
    }
    installRowParser(this);
    // Who waits for an answer is rejected. When nobody does, as between two statements, the next one is.
    this.on('error', () => {});
  }

  /** Whether its session may have kept what is no longer so. */
  get isOld(): boolean {
    return this.isOlderThan(DATABASE_LIMITS.keptMs);
  }

  protected isOlderThan(ms: number): boolean {
    return performance.now() - this.madeAt > ms;
  }

  /** Gives up on the next answers. Calls `after` once they cannot reach anybody; then release the client. */
  abandon(_answers: number, after: () => void): void {
    destroyConnection(this, after);
  }
}

function withLookup(given: string | pg.ClientConfig = {}): pg.ClientConfig {
  const config = typeof given === 'string' ? { connectionString: given } : given;
  // pg's pools hide the password from enumerations.
  return { stream: () => new LookupSocket(), ...config, password: config.password };
}

class LookupSocket extends Socket {
  // As pg calls it.
  override connect(port: unknown, host?: unknown): this {
    return typeof port === 'number'
      ? super.connect({ port, host: host as string, lookup })
      : super.connect(port as string);
  }
}

function failing(error: Error): Socket {
  const socket = new Socket();
  socket.connect = () => socket.destroy(error);
  return socket;
}

/** A driver whose pools do nothing more than pg's. */
export function plainDriver(Client: typeof RowParsingClient): PgDriver {
  class Pool extends pg.Pool {
    constructor(options?: pg.PoolConfig) {
      super({ ...options, Client });
    }
  }
  return pgDriver(Client, Pool);
}

export const PLAIN_DRIVER = plainDriver(RowParsingClient);
