import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../common/config.js';
import { DatabaseUnavailable } from './errors.js';
import { embeddedUrl } from './embedded-postgres.js';

/** The connections of `Statements`. TypeORM's pool has the rest of `DATABASE_POOL_SIZE`. */
export const PIPELINES = { reads: 2, writes: 2, probes: 1 };

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

// By default, pg sends a `Date` in local time without the seconds that offsets had before about 1900.
pg.defaults.parseInputDatesAsUTC = true;
// By default, pg returns int8 as text and a date as midnight in local time, and rounds the elements of numeric arrays.
const { setTypeParser, getTypeParser, builtins } = pg.types;
const ARRAYS = { text: 1009, int8: 1016, date: 1182, numeric: 1231 };
const readTexts = getTypeParser(ARRAYS.text) as (text: string) => (string | null)[];
setTypeParser(builtins.INT8, BigInt);
setTypeParser(ARRAYS.int8, (text) => readTexts(text).map((each) => each && BigInt(each)));
setTypeParser(builtins.DATE, String);
setTypeParser(ARRAYS.date, readTexts);
setTypeParser(ARRAYS.numeric, readTexts);

/**
 * The time limits of one attempt. With a second one after an early error, a request is answered within 1.3 seconds, even
 * while the database is away. The server's limits are shorter, so that they come first: `query_timeout` closes the
 * connection, and with it other statements. Poolers refuse limits as start-up parameters: there, the role must have them.
 */
export function clientOptions(config: Config): pg.ClientConfig & { pipeline: boolean } {
  return {
    ...withoutTimeLimits(config, config.databaseUrl),
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

/** For requests and commands. `Database` opens the data source, because it tries again until the server is there. */
export function dataSourceOptions(config: Config): TypeOrmModuleOptions {
  // With `pipeline`, pg closes a connection whose answer is late, so that it does not go back to the pool. The time limit for
  // connecting is longer here, because it includes waiting until another request gives a connection back to the pool.
  const { reads, writes, probes } = PIPELINES;
  const limits = { max: config.databasePoolSize - reads - writes - probes, connectionTimeoutMillis: 500 };
  return { ...pool({ ...clientOptions(config), ...limits }), autoLoadEntities: true, manualInitialization: true };
}

/** Migrations have no time limits, since they may take long, and can bypass a pooler, through `DATABASE_DIRECT_URL`. */
export function migrationOptions(config: Config): DataSourceOptions {
  const address = config.databaseDirectUrl ?? config.databaseUrl;
  return pool({ ...withoutTimeLimits(config, address), max: 1, connectionTimeoutMillis: 1_000 });
}

function withoutTimeLimits({ databaseDirectory, serviceName }: Config, address?: string): pg.ClientConfig {
  const connectionString = address ?? embeddedUrl(databaseDirectory);
  return { connectionString, application_name: serviceName, keepAlive: true };
}

function pool(options: pg.PoolConfig): DataSourceOptions {
  return {
    type: 'postgres',
    logger: 'debug', // the default prints failed migrations to stdout, besides throwing them
    driver: { Pool },
    extra: options,
  };
}

/** Wraps errors of getting a connection, when nothing was sent. Later, nobody could tell them from those of a statement. */
class Pool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(done: ConnectCallback): void;
  override connect(done?: ConnectCallback): Promise<pg.PoolClient> | void {
    if (!done) return super.connect();
    super.connect((cause, ...connected) => done(cause && new DatabaseUnavailable(false, { cause }), ...connected));
  }
}
