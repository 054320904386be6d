import type { ClientConfig } from 'pg';
import type { ServerConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';

/** How a connection to the server is made, apart from TypeORM's. */
export function serverClient({ url, preparedStatements }: ServerConnection): ClientConfig {
  return {
    connectionString: url,
    application_name: 'animal-store',
    keepAlive: true,
    connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
    // A pooler takes no settings with a connection, since it gives the connection to others.
    ...(preparedStatements && { statement_timeout: DATABASE_LIMITS.statementMs }),
  };
}
