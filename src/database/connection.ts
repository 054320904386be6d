import type { Config } from '../common/config/config.js';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/embedded-database.js';

export interface ServerConnection {
  readonly kind: 'server';
  readonly url: string;
  /** The server itself, when the other address is that of a pooler: migrations need a connection of their own. */
  readonly directUrl: string;
  /** How many connections are made at most. */
  readonly poolSize: number;
  /** Whether statements stay prepared and settings stay set on a connection; behind some poolers they do not. */
  readonly preparedStatements: boolean;
}

export interface EmbeddedConnection {
  readonly kind: 'embedded';
  readonly engine: EmbeddedDatabase;
}

/** Where the data is: in a PostgreSQL server, or in the embedded engine of this process. */
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
