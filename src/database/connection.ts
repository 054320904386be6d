import type { Config } from '../common/config/config.js';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/embedded-database.js';

export interface ServerConnection {
  readonly kind: 'server';
  readonly url: string;
  /** Past a pooler, for migrations, which need a session of their own. */
  readonly directUrl: string;
  /** The number of connections at most. */
  readonly poolSize: number;
  /** False behind poolers that do not keep prepared statements and settings on a connection. */
  readonly preparedStatements: boolean;
}

export interface EmbeddedConnection {
  readonly kind: 'embedded';
  readonly engine: EmbeddedDatabase;
}

/** A PostgreSQL server, or the embedded engine in this process. */
export type DatabaseConnection = ServerConnection | EmbeddedConnection;

export async function connectionFor(config: Config): Promise<DatabaseConnection> {
  if (!config.databaseUrl) {
    return { kind: 'embedded', engine: await openEmbeddedDatabase(config.databaseDirectory) };
  }
  return {
    kind: 'server',
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl ?? config.databaseUrl,
    poolSize: config.databasePoolSize,
    preparedStatements: config.preparedStatements,
  };
}
