import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe } from '@jest/globals';
import pg, { type Connection } from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import {
  DataSource,
  type EntityManager,
  EntityMetadataNotFoundError,
  MigrationExecutor,
  Repository,
} from 'typeorm';
import { startEmptyDatabase } from '../../test/support/empty-database.js';
import { itFinds } from '../../test/support/inside.js';
import type { EmbeddedDatabase } from './embedded/embedded-database.js';
import type { PgDriver } from './pg-driver.js';

type Internals = Record<string, unknown>;

const BATCHING = 'src/database/batching';

describe('internals of others that the database relies on', () => {
  let database: EmbeddedDatabase;
  let driver: PgDriver;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    driver = database.driver;
  });

  afterAll(() => database.close());

  itFinds('pg-protocol: Parser.handlePacket()', 'src/database/row-parser.ts', () => {
    const handled: unknown[] = [];
    const parser = Object.assign(
      new Parser() as unknown as { parse(chunk: Buffer, tell: () => void): void },
      {
        handlePacket: (start: number, code: number, length: number) => handled.push(start, code, length),
      },
    );
    parser.parse(Buffer.from('Z\0\0\0\x05I'), () => {});
    return handled.join() === '5,90,5';
  });

  itFinds('pg-protocol: Parser.bufferLength', 'src/database/row-parser.ts', () => {
    const parser = new Parser() as unknown as { bufferLength: number; parse(chunk: Buffer): void };
    parser.parse(Buffer.from('Z\0\0'));
    return parser.bufferLength === 3;
  });

  itFinds('pg: connection.attachListeners()', 'src/database/row-parser.ts', () => {
    const { client, stream } = clientOnAStream();
    let attached: unknown;
    Object.assign(client.connection, { attachListeners: (given: unknown) => (attached = given) });
    (client.connection as unknown as { connect(port: number, host: string): void }).connect(
      5432,
      'localhost',
    );
    return attached === stream;
  });

  itFinds('pg: the messages of a connection', BATCHING, () => {
    const { client, written } = clientOnAStream();
    const { connection } = client;
    connection.parse({ name: 'one', text: 'SELECT $1' } as never, true);
    connection.describe({ type: 'S', name: 'one' }, true);
    connection.bind({ statement: 'one', values: ['a'], valueMapper: () => 'mapped' }, true);
    connection.execute(null, true);
    connection.sync();
    return /^P.*one.*D.*one.*B.*one.*mapped.*E.*S/s.test(written());
  });

  itFinds('pg: utils.prepareValue()', BATCHING, () => {
    const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;
    return prepareValue(['a', 1]) === '{"a","1"}' && prepareValue(5n) === '5';
  });

  itFinds('pg: the callbacks of a query that is submitted', BATCHING, async () => {
    const called: string[] = [];
    const client = new driver.Client();
    await client.connect();
    await new Promise<void>((resolve) => {
      client.query({
        submit: (connection: Connection) => connection.query('SELECT 1 WHERE false'),
        handleRowDescription: () => called.push('row description'),
        handleCommandComplete: () => called.push('command complete'),
        handleReadyForQuery: resolve,
        handleError: () => called.push('error'),
      } as never);
    });
    await client.end();
    return called.join() === 'row description,command complete';
  });

  itFinds('pg: client.getStartupConf()', 'src/database/server/timeout-safe-client.ts', () => {
    const { client } = clientOnAStream();
    const parameters = (client as unknown as { getStartupConf(): object }).getStartupConf();
    return 'user' in parameters && 'database' in parameters;
  });

  itFinds('pg: client.readyForQuery', 'src/database/row-parser.ts', async () => {
    const client = new driver.Client() as pg.Client & { readyForQuery?: boolean };
    const before = client.readyForQuery;
    await client.connect();
    const connected = client.readyForQuery;
    const answer = client.query('SELECT 1');
    const asked = client.readyForQuery;
    await answer;
    await client.end();
    return !before && connected === true && asked === false;
  });

  itFinds('pg: client.processID', 'src/database/server/stall-watch.ts', () => {
    return 'processID' in new driver.Client();
  });

  itFinds('pg-pool: _release() and options.max', 'src/database/server/server-driver.ts', async () => {
    const released: unknown[] = [];
    const pool = new driver.Pool();
    Object.assign(pool, { _release: (client: unknown) => released.push(client) });
    const client = await pool.connect();
    const isFull = () => (pool as unknown as { _isFull(): boolean })._isFull();
    const before = isFull();
    pool.options.max++;
    const after = isFull();
    client.release();
    await client.end();
    return released[0] === client && before && !after;
  });

  itFinds('pg: connection.stream', 'src/database/destroy-connection.ts', () => {
    const { client, stream } = clientOnAStream();
    return (client.connection as unknown as Internals)['stream'] === stream;
  });

  itFinds('pg: the text of a time-out', 'src/database/server/timeout-safe-client.ts', async () => {
    const { client } = clientOnAStream();
    const query = client.query({
      text: 'SELECT 1',
      query_timeout: 1,
    } as never) as unknown as Promise<unknown>;
    const error = await query.catch((thrown: Error) => thrown);
    return (error as Error).message === 'Query read timeout';
  });

  itFinds('PostgreSQL: the error for an outdated plan', 'src/database/sqlstate.ts', async () => {
    const client = new driver.Client();
    await client.connect();
    await client.query('CREATE TABLE altered (id int)');
    const read = () => client.query({ name: 'all', text: 'SELECT * FROM altered' });
    await read();
    await client.query('ALTER TABLE altered ADD name text');
    const error = (await read().catch((thrown: unknown) => thrown)) as { code?: string; routine?: string };
    await client.end();
    return error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
  });

  itFinds('PGlite: the raw protocol', 'src/database/embedded/pglite-session.ts', async () => {
    const client = new driver.Client();
    await client.connect();
    const { rows } = await client.query('SELECT 1 AS one');
    await client.end();
    return rows[0].one === 1;
  });

  itFinds('TypeORM: option `driver`, and driver.master', 'src/database/data-source-options.ts', async () => {
    const dataSource = new DataSource({ type: 'postgres', driver });
    await dataSource.initialize();
    const { master } = dataSource.driver as unknown as { master: unknown };
    await dataSource.destroy();
    return master instanceof driver.Pool;
  });

  itFinds('TypeORM: withRepository() copies properties', BATCHING, () => {
    class Extended extends Repository<object> {
      constructor(
        manager: EntityManager,
        private readonly extra: string,
      ) {
        super(Object, manager);
      }

      get held(): string {
        return this.extra;
      }
    }
    const { manager } = new DataSource({ type: 'postgres', driver });
    return manager.withRepository(new Extended(manager, 'extra')).held === 'extra';
  });

  itFinds('TypeORM: createEntityManager() and createQueryRunner()', 'src/database/transactions', async () => {
    const called: string[] = [];
    class Observed extends DataSource {
      override createEntityManager(...given: Parameters<DataSource['createEntityManager']>) {
        called.push('manager');
        return super.createEntityManager(...given);
      }

      override createQueryRunner(...given: Parameters<DataSource['createQueryRunner']>) {
        called.push('runner');
        return super.createQueryRunner(...given);
      }
    }
    const dataSource = await new Observed({ type: 'postgres', driver }).initialize();
    called.length = 0;
    await dataSource.manager.transaction((manager) => manager.query('SELECT 1'));
    await dataSource.createQueryBuilder().select('1').from('pg_class', 'c').limit(1).getRawMany();
    await dataSource.destroy();
    return called.join() === 'runner,manager,runner,manager';
  });

  itFinds('TypeORM: the state of a transaction', 'src/database/transactions', async () => {
    const dataSource = await new DataSource({ type: 'postgres', driver }).initialize();
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    const { isTransactionActive, transactionDepth } = runner as unknown as Internals;
    await runner.rollbackTransaction();
    await runner.release();
    await dataSource.destroy();
    return isTransactionActive === true && transactionDepth === 1;
  });

  itFinds('TypeORM: MigrationExecutor', 'src/database/migrator.ts', () => {
    const executor = new MigrationExecutor(
      new DataSource({ type: 'postgres', driver }),
    ) as unknown as Internals;
    return typeof executor['executePendingMigrations'] === 'function' && executor['transaction'] === 'all';
  });

  itFinds(
    'TypeORM: the error for an entity before it is connected',
    'src/database/database-errors.ts',
    () => {
      try {
        new DataSource({ type: 'postgres', driver }).getMetadata(DataSource);
        return false;
      } catch (error) {
        return error instanceof EntityMetadataNotFoundError;
      }
    },
  );
});

/** A client of pg that writes to memory and never gets an answer. */
function clientOnAStream() {
  const stream = new PassThrough();
  Object.assign(stream, { connect: () => stream, setNoDelay: () => stream, setKeepAlive: () => stream });
  const client = new pg.Client({ stream: () => stream });
  return { client, stream, written: () => String(stream.read()) };
}
