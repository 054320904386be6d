import type { DataSourceOptions } from 'typeorm';
import type { Availability } from './availability.js';
import { connectionsForTransactions, type DatabaseConnection } from './connection.js';
import { SLOW_STATEMENT_LIMITS } from './limits.js';
import { MIGRATION_DRIVER } from './migration-driver.js';
import { types } from './pg-types.js';
import { SERVER_OPTIONS } from './server/server-client.js';
import { serverDriver } from './server/server-driver.js';

/** For requests and command lines. Connecting and every statement have a time limit. */
export function dataSourceOptions(
  connection: DatabaseConnection,
  availability: Availability,
): DataSourceOptions {
  if (connection.kind === 'embedded') return migrationOptions(connection);
  const { statement_timeout, query_timeout } = SLOW_STATEMENT_LIMITS;
  return {
    ...migrationOptions(connection),
    url: connection.url,
    driver: serverDriver(availability),
    poolSize: connectionsForTransactions(connection),
    extra: {
      ...serverExtra,
      session: connection.session,
      onConnect: connection.distribution?.onConnect,
      query_timeout,
      // To a server that is 70 ms away, a new connection takes longer than a transaction waits for one.
      idleTimeoutMillis: 0,
      ...(connection.preparedStatements && { statement_timeout }),
    },
  } as DataSourceOptions;
}

/** For migrations, whose own statements have no time limit. */
export function migrationOptions(connection: DatabaseConnection): DataSourceOptions {
  const common = {
    type: 'postgres',
    synchronize: false,
    migrationsRun: false,
    logging: false,
    logger: 'debug', // the default prints failed migrations to stdout; they are also thrown
  } as const;
  if (connection.kind === 'embedded') {
    return { ...common, driver: connection.engine.driver, extra: { types } };
  }
  return {
    ...common,
    url: connection.directUrl,
    driver: MIGRATION_DRIVER,
    poolSize: 1,
    poolErrorHandler: () => {}, // an idle connection broke, and the pool has already removed it
    extra: serverExtra,
  };
}

const serverExtra = { types, ...SERVER_OPTIONS };
