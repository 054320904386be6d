import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { findBinaries, startPostgres } from './postgres.mjs';
import { missing, root, say } from './programs.mjs';

const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: 400,
  max_prepared_transactions: 400,
  max_worker_processes: 100, // one for each database
  'citus.node_conninfo': 'sslmode=disable',
  'citus.recover_2pc_interval': '1s',
  'citus.enable_create_database_propagation': 'on',
};

const HOW = `Install it for your PostgreSQL (https://docs.citusdata.com/en/stable/installation/multi_node.html), or set
CITUS_ARCHIVE to a .tar.gz of its files for Debian's current PostgreSQL, such as usr/lib/postgresql/15/lib/citus.so.`;

/** Starts a coordinator, the first of `nodes`, and workers. Databases that are created on it are on all nodes. */
export async function startCitus({ workers = 2, settings = {} } = {}) {
  process.env.POSTGRES_BINARIES = findExtension();
  const start = () => startPostgres({ ...SETTINGS, ...settings });
  const nodes = await Promise.all(Array.from({ length: workers + 1 }, start));
  const [coordinator] = nodes;
  const addNodes = [
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...nodes.slice(1).map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  ];
  // CREATE DATABASE copies template1, to which nobody is connected then.
  for (const database of ['postgres', 'template1']) {
    for (const { url } of nodes) await run(at(url, database), 'CREATE EXTENSION citus');
    await run(at(coordinator.url, database), ...addNodes);
  }
  for (const { url } of nodes) await run(url, 'ALTER DATABASE template1 ALLOW_CONNECTIONS false', END_SESSIONS);
  const { url } = coordinator;
  return { url, nodes, remove: () => Promise.all(nodes.map((node) => node.remove())) };
}

const END_SESSIONS = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'template1'";

const at = (url, database) => Object.assign(new URL(url), { pathname: `/${database}` }).href;

async function run(url, ...statements) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** The programs of an installed PostgreSQL that has the extension, or of a copy made for this run. */
function findExtension() {
  const installed = findBinaries();
  if (hasExtension(installed)) return installed;
  const { CITUS_ARCHIVE } = process.env;
  if (!CITUS_ARCHIVE) return missing('The extension Citus', HOW);
  const archive = resolve(root, CITUS_ARCHIVE);
  if (!existsSync(archive)) return missing(archive, HOW);
  const folder = mkdtempSync(join(tmpdir(), 'citus-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755); // for the account of the servers
  // PostgreSQL finds its files relative to its programs, so a copy in the same layout works.
  for (const path of [join(installed, '..'), shareOf(installed)])
    cpSync(path, join(folder, path), { recursive: true, dereference: true });
  update(folder, /postgresql\/(\d+)\/bin/.exec(installed)?.[1]);
  execFileSync('tar', ['-xzf', archive, '-C', folder, '--no-same-owner']);
  const copy = join(folder, installed);
  return hasExtension(copy) ? copy : missing('The extension Citus', `${archive} is for another PostgreSQL.\n${HOW}`);
}

/** The extension needs the minor release that it was built for, or a later one. */
function update(folder, major) {
  try {
    const options = { cwd: folder, stdio: 'ignore' };
    execFileSync('apt-get', ['-qq', 'download', `postgresql-${major}`], options);
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
      execFileSync('dpkg-deb', ['--extract', file, folder], options);
  } catch {
    say('The latest PostgreSQL could not be downloaded. If the servers do not start: apt-get update.');
  }
}

const hasExtension = (binaries) => existsSync(join(shareOf(binaries), 'extension', 'citus.control'));

const shareOf = (binaries) => execFileSync(join(binaries, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
