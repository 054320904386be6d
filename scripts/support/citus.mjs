import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findBinaries, startPostgres } from './postgres.mjs';
import { missing, root } from './programs.mjs';

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

/** Which finds its files relative to its programs. An installed one may be of an earlier minor release than the archive. */
const UNPACK = `download() { apt-get -qq download postgresql-$1 postgresql-client-$1; }
download $1 || { apt-get -qq update && download $1; }
for package in *.deb; do dpkg-deb --extract $package .; done
tar -xzf "$2" --no-same-owner`;

/** Starts a coordinator, the first of `nodes`, and two workers. Databases that are created on it are on all nodes. */
export async function startCitus() {
  process.env.POSTGRES_BINARIES = findExtension();
  const nodes = await Promise.all(Array.from({ length: 3 }, () => startPostgres(SETTINGS)));
  const [{ url, port }, ...workers] = nodes;
  const addNodes = [
    `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`,
    ...workers.map((worker) => `SELECT citus_add_node('127.0.0.1', ${worker.port})`),
  ];
  // CREATE DATABASE copies template1, to which nobody is connected then.
  for (const database of ['postgres', 'template1']) {
    for (const node of nodes) run(at(node.url, database), 'CREATE EXTENSION citus');
    run(at(url, database), ...addNodes);
  }
  for (const node of nodes) run(node.url, 'ALTER DATABASE template1 ALLOW_CONNECTIONS false', END_SESSIONS);
  return { url, nodes, remove: () => nodes.forEach((node) => node.remove()) };
}

const END_SESSIONS = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'template1'";

const at = (url, database) => Object.assign(new URL(url), { pathname: `/${database}` }).href;

function run(url, ...statements) {
  const psql = join(findBinaries(), 'psql');
  execFileSync(psql, ['-qX', '-v', 'ON_ERROR_STOP=1', url], { input: statements.join(';'), stdio: 'pipe' });
}

/** The programs of an installed PostgreSQL that has the extension, or of Debian's latest with the files of the archive. */
function findExtension() {
  const installed = findBinaries();
  if (hasExtension(installed)) return installed;
  const { CITUS_ARCHIVE } = process.env;
  const [, major] = /postgresql\/(\d+)\/bin$/.exec(installed) ?? [];
  const archive = resolve(root, CITUS_ARCHIVE ?? '');
  if (!CITUS_ARCHIVE || !major || !existsSync(archive)) return missing('The extension Citus', HOW);
  const folder = mkdtempSync(join(tmpdir(), 'citus-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755); // for the account of the servers
  const { status } = spawnSync('sh', ['-ec', UNPACK, 'sh', major, archive], { cwd: folder, stdio: ['ignore', 2, 2] });
  const unpacked = join(folder, installed);
  return status === 0 && hasExtension(unpacked) ? unpacked : missing('The extension Citus', HOW);
}

const hasExtension = (binaries) => existsSync(join(shareOf(binaries), 'extension', 'citus.control'));

const shareOf = (binaries) => execFileSync(join(binaries, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
