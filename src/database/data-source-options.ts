import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseConnection } from './connection.js';

const { getTypeParser } = pg.types;
const INT8: number = pg.types.builtins.INT8;

/** The driver's own types, but for int8: a bigint, exact over its whole range, where the default is a string. */
const types = {
  getTypeParser: (oid: number, format: 'text' = 'text') =>
    oid === INT8 ? BigInt : getTypeParser(oid, format),
};

/** Nothing waits for ever: neither for a connection, nor for a statement, nor for a server that froze. */
const CONNECTION_LIMIT = { connectionTimeoutMillis: 2_000 };
const STATEMENT_LIMITS = { statement_timeout: 3_000, query_timeout: 4_000 };

/** How TypeORM reaches the database. Long work, such as a migration, goes without a limit on statements. */
export function dataSourceOptions(
  connection: DatabaseConnection,
  { longStatements = false }: { longStatements?: boolean } = {},
): DataSourceOptions {
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
    url: connection.url,
    applicationName: 'animal-store',
    poolSize: connection.poolSize,
    poolErrorHandler: () => {}, // an idle connection broke: the pool has dropped it, and nobody was waiting
    extra: { types, keepAlive: true, ...CONNECTION_LIMIT, ...(longStatements ? {} : STATEMENT_LIMITS) },
  };
}
