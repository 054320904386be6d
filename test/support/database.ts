import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { embeddedUrl, startEmbeddedPostgres } from '../../src/database/embedded-postgres.js';

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement on a connection of its own, and returns its rows. */
  query<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T[]>;
  /** Opens a connection, which the test ends. */
  connect(): Promise<pg.Client>;
  drop(): Promise<void>;
}

/** Of the server in DATABASE_URL: `npm run with-citus -- npm test`. */
export const databaseDistribution = process.env['DATABASE_DISTRIBUTION'] === 'citus' ? 'citus' : undefined;

/** Creates an empty database on the server in DATABASE_URL, or else on one that all test files share. */
export async function createDatabase(options = ''): Promise<TestDatabase> {
  const server = process.env['DATABASE_URL'] || (await sharedServer());
  const name = `animal_store_test_${randomBytes(6).toString('hex')}`;
  await run(server, `CREATE DATABASE ${name} ${options}`);
  const url = server.replace(/\/[^/?]*(?=\?|$)/, `/${name}`);
  return {
    url,
    query: (text, values) => run(url, text, values),
    connect: () => connect(url),
    drop: async () => {
      const drop = (): Promise<unknown[]> => run(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      // A process of Citus can take longer to end than PostgreSQL waits. The database may be gone all the same.
      await drop()
        .catch(drop)
        .catch((error: pg.DatabaseError) => {
          if (error.code !== '3D000') throw error;
        });
    },
  };
}

/** The server that the service has without a DATABASE_URL. It ends with the processes that use it. */
async function sharedServer(): Promise<string> {
  const folder = process.env['TEST_SERVER_FOLDER'] ?? '';
  await startEmbeddedPostgres(folder);
  const url = embeddedUrl(folder);
  // No test stops the power; whether acknowledged data survives that is proven by the drills.
  await run(url, 'ALTER SYSTEM SET fsync = off');
  await run(url, 'SELECT pg_reload_conf()');
  return url;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'tests' });
  // The end of the database ends the connections of a test that failed, too.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function run<T>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = await connect(url);
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}
