import type { Config } from '../common/config/config.js';
import { CITUS } from './citus/citus.js';
import type { Distribution } from './distribution.js';
import type { EmbeddedDatabase } from './embedded/embedded-database.js';
import { QUEUE_CONNECTIONS } from './limits.js';
import type { Session } from './server/session.js';

export interface ServerConnection {
  readonly kind: 'server';
  readonly url: string;
  /** Past a pooler, for migrations, which need a session of their own. */
  readonly directUrl: string;
  /** Standbys that answer reads. */
  readonly standbyUrls?: readonly string[] | undefined;
  /** Whether they also answer while the primary is away. */
  readonly staleReads?: boolean;
  /** The number of connections at most. */
  readonly poolSize: number;
  /** If the server is the coordinator of a cluster. */
  readonly distribution?: Distribution | undefined;
  /** False behind poolers that do not keep prepared statements and settings on a connection. */
  readonly preparedStatements: boolean;
  /** The settings of each connection. Poolers reject them. */
  readonly session?: Session | undefined;
}

export interface EmbeddedConnection {
  readonly kind: 'embedded';
  readonly engine: EmbeddedDatabase;
}

/** A PostgreSQL server, or the embedded engine in this process. */
export type DatabaseConnection = ServerConnection | EmbeddedConnection;

/** The connections of TypeORM's pool. The others are those of the queues, and one for the heartbeat. */
export function connectionsForTransactions({ poolSize, distribution }: ServerConnection): number {
  const { read, write, recorded } = QUEUE_CONNECTIONS;
  return poolSize - (distribution?.readConnections ?? read) - write - recorded - 1;
}

/** With `share`, an embedded database may be open in another process. */
export async function connectionFor(config: Config, { share = false } = {}): Promise<DatabaseConnection> {
  if (!config.databaseUrl) {
    // Beside a server, the engine would cost memory and time at start-up.
    const { openEmbeddedDatabase } = await import('./embedded/embedded-database.js');
    const { shareEmbeddedDatabase } = await import('./embedded/shared-database.js');
    const open = share ? shareEmbeddedDatabase : openEmbeddedDatabase;
    return { kind: 'embedded', engine: await open(config.databaseDirectory) };
  }
  return {
    kind: 'server',
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl ?? config.databaseUrl,
    // A command reads little, and not for clients.
    standbyUrls: share ? undefined : config.databaseStandbyUrls,
    staleReads: config.databaseStaleReads,
    poolSize: config.databasePoolSize,
    distribution: config.databaseDistribution && CITUS,
    preparedStatements: config.preparedStatements,
  };
}
