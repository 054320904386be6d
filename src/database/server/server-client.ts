import type { ClientConfig } from 'pg';
import type { ServerConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';

/** The options of connections outside TypeORM's pool. */
export function serverClient({ url, preparedStatements }: ServerConnection): ClientConfig {
  return {
    connectionString: url,
    application_name: 'animal-store',
    keepAlive: true,
    connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
    // A pooler shares its connections and so rejects settings at start-up.
    ...(preparedStatements && { statement_timeout: DATABASE_LIMITS.statementMs }),
  };
}
