import type { DataSourceOptions } from 'typeorm';
import type { Availability } from './availability.js';
import type { DatabaseConnection } from './connection.js';
import { DATABASE_LIMITS, SLOW_STATEMENT_LIMITS } from './limits.js';
import { createServerDriver } from './server/server-driver.js';
import { OWN_CONNECTIONS } from './batching/lanes.js';
import { types } from './types.js';

/** How TypeORM reaches the database. Nothing waits for ever: neither for a connection nor for a statement. */
export function dataSourceOptions(
  connection: DatabaseConnection,
  availability: Availability,
): DataSourceOptions {
  if (connection.kind === 'embedded') return migrationOptions(connection);
  const { statement_timeout, query_timeout } = SLOW_STATEMENT_LIMITS;
  return {
    ...migrationOptions(connection),
    url: connection.url,
    driver: createServerDriver(availability),
    poolSize: connection.poolSize - OWN_CONNECTIONS,
    extra: {
      ...serverExtra,
      query_timeout,
      ...(connection.preparedStatements && { statement_timeout }),
    },
  } as DataSourceOptions;
}

/** For migrations, which may take their time. */
export function migrationOptions(connection: DatabaseConnection): DataSourceOptions {
  const common = {
    type: 'postgres',
    synchronize: false,
    migrationsRun: false,
    logging: false,
    logger: 'debug', // the default logger writes failures of migrations to the standard output; they are thrown too
  } as const;
  if (connection.kind === 'embedded') {
    return { ...common, driver: connection.engine.driver, extra: { types } };
  }
  return {
    ...common,
    url: connection.directUrl,
    applicationName: 'animal-store',
    poolSize: 1,
    poolErrorHandler: () => {}, // an idle connection broke: the pool has dropped it, and nobody was waiting
    extra: serverExtra,
  };
}

const serverExtra = { types, keepAlive: true, connectionTimeoutMillis: DATABASE_LIMITS.connectMs };
