import type { ClientConfig } from 'pg';
import { SERVICE_NAME } from '../../common/contract.js';
import type { ServerConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';

export const SERVER_OPTIONS = {
  application_name: SERVICE_NAME,
  keepAlive: true,
  // Then every second, ten times. The default, two hours, would keep a connection whose server is gone.
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
} as const;

/** The options of connections outside TypeORM's pool. */
export function serverClient({ url, preparedStatements }: ServerConnection): ClientConfig {
  return {
    ...SERVER_OPTIONS,
    connectionString: url,
    // A pooler shares its connections and so rejects settings at start-up.
    ...(preparedStatements && { statement_timeout: DATABASE_LIMITS.statementMs }),
  };
}
