import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../common/config.js';
import { DatabaseUnavailable } from './errors.js';
import { embeddedUrl } from './embedded-postgres.js';

/** The connections of `Statements`. TypeORM's pool has the rest of `DATABASE_POOL_SIZE`. */
export const PIPELINES = { reads: 2, writes: 2, probes: 1 };

type Connected = Parameters<pg.Pool['connect']>[0];

// In local time, dates of early years would lose the seconds of their offset.
pg.defaults.parseInputDatesAsUTC = true;
// By default, pg leaves int8 as text, and makes a moment in local time of a day. In arrays, it rounds numeric, too.
const { setTypeParser, getTypeParser, builtins } = pg.types;
const ARRAYS = { text: 1009, int8: 1016, date: 1182, numeric: 1231 };
const readTexts = getTypeParser(ARRAYS.text) as (text: string) => string[];
setTypeParser(builtins.INT8, BigInt);
setTypeParser(ARRAYS.int8, (text) => readTexts(text).map(BigInt));
setTypeParser(builtins.DATE, String);
setTypeParser(ARRAYS.date, readTexts);
setTypeParser(ARRAYS.numeric, readTexts);

/**
 * The limits of one attempt, so that a request can be answered within 1.3 seconds while the database is away. The server's
 * limits end first: when `query_timeout` does, pg closes the connection, and the other statements on it lose their answers.
 * Poolers refuse limits that are start-up parameters.
 */
export function clientOptions(config: Config): pg.ClientConfig & { pipeline: boolean } {
  return {
    ...unlimited(config, config.databaseUrl),
    pipeline: true,
    connectionTimeoutMillis: 300,
    query_timeout: 600,
    ...(config.preparedStatements && {
      statement_timeout: 500,
      lock_timeout: 400,
      idle_in_transaction_session_timeout: 2_000,
    }),
  };
}

/** For requests and command lines. `Database` connects, again and again if need be. */
export function dataSourceOptions(config: Config): TypeOrmModuleOptions {
  // With `pipeline`, pg closes a connection whose answer is late, so that it does not go back to the pool. The limit is longer
  // than that of a single connection, because here it includes the time that a request waits for a connection of others.
  const { reads, writes, probes } = PIPELINES;
  const limits = { max: config.databasePoolSize - reads - writes - probes, connectionTimeoutMillis: 500 };
  return { ...pool({ ...clientOptions(config), ...limits }), autoLoadEntities: true, manualInitialization: true };
}

/** Migrations take their time, past a pooler. */
export function migrationOptions(config: Config): DataSourceOptions {
  const address = config.databaseDirectUrl ?? config.databaseUrl;
  return pool({ ...unlimited(config, address), max: 1, connectionTimeoutMillis: 1_000 });
}

function unlimited({ databaseDirectory, serviceName }: Config, address?: string): pg.ClientConfig {
  const connectionString = address ?? embeddedUrl(databaseDirectory);
  return { connectionString, application_name: serviceName, keepAlive: true };
}

function pool(options: pg.PoolConfig): DataSourceOptions {
  return {
    type: 'postgres',
    logger: 'debug', // the default prints failed migrations to stdout, besides throwing them
    poolErrorHandler: () => {}, // an idle connection broke, and the pool has removed it
    driver: { Pool },
    extra: options,
  };
}

/** Only here is it known that an error means that there was no connection, and so nothing was sent. */
class Pool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | void {
    if (!done) return super.connect();
    super.connect((cause, ...connected) => done(cause && new DatabaseUnavailable(false, { cause }), ...connected));
  }
}
