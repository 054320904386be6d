import type { ClientConfig } from 'pg';
import { SERVICE_NAME } from '../../common/contract.js';
import type { ServerConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { Session } from './session.js';

export const SERVER_OPTIONS = {
  application_name: SERVICE_NAME,
  keepAlive: true,
  // Then every second, ten times. The default, two hours, would keep a connection whose server is gone.
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
} as const;

export interface SessionConfig extends ClientConfig {
  readonly session?: Session | undefined;
}

/** The options of connections outside TypeORM's pool. */
export function serverClient({ url, preparedStatements, session }: ServerConnection): SessionConfig {
  return {
    ...SERVER_OPTIONS,
    connectionString: url,
    session,
    // A pooler shares its connections and so rejects settings at start-up.
    ...(preparedStatements && { statement_timeout: DATABASE_LIMITS.statementMs }),
  };
}
