import { randomBytes } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster } from './postgres-cluster.mjs';

const WORKERS = 2;
const TEMPLATE = 'citus_template';
const DATABASE = 'animals';
/** Of the service. It owns the schema. */
const ROLE = 'animal_store';

/** Of each node. A maintenance worker of Citus runs for each database. */
export const CITUS_SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '400',
  max_prepared_transactions: '400',
  max_worker_processes: '100',
  max_replication_slots: '40',
  max_wal_senders: '40',
  'citus.shard_count': '8',
  'citus.node_conninfo': 'sslmode=disable', // on the loopback interface
  'citus.local_hostname': '127.0.0.1',
  'citus.recover_2pc_interval': '500ms',
};

/**
 * Creates and starts a Citus cluster on this machine: a coordinator and two workers, each a PostgreSQL of its own.
 * `settings` are added to the postgresql.conf of each. The first of `nodes` is the coordinator. `serviceUrl` and
 * `workerUrls` are for the role of the service, the others for the superuser.
 */
export async function startCitus(binaries, settings) {
  const password = randomBytes(16).toString('hex'); // Citus gives the workers that of the coordinator
  const starts = Array.from({ length: WORKERS + 1 }, () =>
    startCluster(binaries, { ...CITUS_SETTINGS, ...settings }, password),
  );
  const nodes = (await Promise.allSettled(starts)).flatMap(({ value }) => value ?? []);
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    await Promise.all(starts);
    await makeTemplate(nodes);
    const urls = nodes.map(({ url }) => url);
    await createOnCitus(urls, DATABASE);
    const addWorker = async () => {
      const worker = await startCluster(binaries, { ...CITUS_SETTINGS, ...settings }, password);
      nodes.push(worker);
      letConnect(nodes);
      // The database knows the one that it was copied from.
      await run(worker.url, roleOf(worker), `CREATE DATABASE ${TEMPLATE}`, `CREATE DATABASE ${DATABASE}`);
      await run(at(worker.url, DATABASE), 'CREATE EXTENSION citus', OWN_SCHEMA);
      await run(at(urls[0], DATABASE), `SELECT citus_add_node('127.0.0.1', ${new URL(worker.url).port})`);
    };
    const pgCtl = (...args) => Promise.all(nodes.map((node) => node.pgCtl(...args)));
    const url = at(urls[0], DATABASE);
    const [serviceUrl, ...workerUrls] = urls.map((node) => ofService(node, DATABASE));
    return { url, serviceUrl, workerUrls, nodes, urls, pgCtl, addWorker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a database on all nodes, which know each other there. */
export async function createOnCitus(urls, name) {
  await Promise.all(urls.map((url) => run(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)));
}

/** PostgreSQL starts the maintenance worker of a node again, and that one those of the others, while they are let in. */
export async function dropOnCitus(urls, name) {
  await Promise.all(urls.map((url) => run(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)));
  await Promise.all(urls.map((url) => drop(url, name)));
}

/** A worker that is being started meanwhile may outlast the five seconds that PostgreSQL gives others to end. */
async function drop(url, name, attempts = 5) {
  try {
    await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } catch (error) {
    if (attempts === 1) throw error;
    await drop(url, name, attempts - 1);
  }
}

/** Adding nodes takes a second, and a copy of a database that knows them a fifth of it. */
async function makeTemplate(nodes) {
  letConnect(nodes);
  const urls = nodes.map(({ url }) => url);
  await Promise.all(
    urls.map(async (url) => {
      await run(url, roleOf({ url }), `CREATE DATABASE ${TEMPLATE}`);
      await run(at(url, TEMPLATE), 'CREATE EXTENSION citus', OWN_SCHEMA);
    }),
  );
  const [coordinator, ...workers] = urls.map((url) => new URL(url));
  await run(
    at(coordinator.href, TEMPLATE),
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  );
  await Promise.all(
    urls.map((url) =>
      run(
        url,
        // Otherwise Citus would keep a session there, and a database with sessions cannot be copied.
        `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`,
      ),
    ),
  );
}

const OWN_SCHEMA = `ALTER SCHEMA public OWNER TO ${ROLE}`;

/** With the password of the superuser. */
const roleOf = ({ url }) => `CREATE ROLE ${ROLE} LOGIN PASSWORD '${new URL(url).password}'`;

/** The nodes connect to each other, as any role. */
export function letConnect(nodes) {
  const lines = nodes.map(({ url }) => {
    const { hostname, port, password } = new URL(url);
    return `${hostname}:${port}:*:*:${password}\n`;
  });
  for (const { folder, account } of nodes) {
    const file = join(folder, '.pgpass'); // its home
    writeFileSync(file, lines.join(''), { mode: 0o600 });
    if (account.uid !== undefined) chownSync(file, account.uid, account.gid);
  }
}

export function at(url, database) {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

export function ofService(url, database) {
  return Object.assign(new URL(at(url, database)), { username: ROLE }).href;
}

async function run(url, ...statements) {
  const client = new pg.Client(url);
  client.on('error', () => {}); // the query rejects too
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
