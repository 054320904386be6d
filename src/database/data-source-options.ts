import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../common/config.js';
import { embeddedUrl } from './embedded-postgres.js';

/** The pipelined connections for frequent reads, for group commits, and for readiness. TypeORM's pool has the rest. */
export const READ_CONNECTIONS = 2;
export const WRITE_CONNECTIONS = 2;
const PROBE_CONNECTIONS = 1;

// In local time, dates of early years would lose the seconds of their offset.
pg.defaults.parseInputDatesAsUTC = true;

const INT8: number = pg.types.builtins.INT8;
const types = {
  getTypeParser: (oid: number, format?: 'text') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)),
} as pg.CustomTypesConfig;

/**
 * A request is answered within about a second, whatever the database does. The server gives up first: an answer that comes
 * too late costs the connection, and with it the other statements on it. Poolers refuse limits that are start-up parameters.
 */
export function clientOptions(config: Config): pg.ClientConfig {
  return {
    connectionString: config.databaseUrl ?? embeddedUrl(config.databaseDirectory),
    application_name: config.serviceName,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 300,
    query_timeout: 600,
    ...(config.preparedStatements && {
      statement_timeout: 500,
      lock_timeout: 400,
      idle_in_transaction_session_timeout: 2_000,
    }),
  };
}

/** For requests and command lines. */
export function dataSourceOptions(config: Config): DataSourceOptions {
  const { connectionString, ...client } = clientOptions(config);
  const { databasePoolSize, preparedStatements } = config;
  const others = preparedStatements ? READ_CONNECTIONS + WRITE_CONNECTIONS + PROBE_CONNECTIONS : 0;
  return {
    type: 'postgres',
    url: connectionString as string,
    logger: 'debug', // the default prints failed migrations to stdout, besides throwing them
    poolSize: Math.max(1, databasePoolSize - others),
    poolErrorHandler: () => {}, // an idle connection broke, and the pool has removed it
    // With `pipeline`, pg closes a connection whose answer is late, so that it does not go back to the pool. A transaction may
    // wait longer for one that is free than for one that is opened: both are one limit of the pool.
    extra: { ...client, pipeline: preparedStatements, connectionTimeoutMillis: 500, idleTimeoutMillis: 30_000 },
  };
}

/** Migrations take their time, past a pooler. */
export function migrationOptions(config: Config): DataSourceOptions {
  const { url, ...options } = dataSourceOptions(config) as DataSourceOptions & { url: string };
  return {
    ...options,
    url: config.databaseDirectUrl ?? url,
    poolSize: 1,
    extra: { types, keepAlive: true, application_name: config.serviceName, connectionTimeoutMillis: 1_000 },
  } as DataSourceOptions;
}
