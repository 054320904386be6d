import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { issueKeys } from '../drills/support/service.mjs';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { startCluster } from '../scripts/support/postgres-cluster.mjs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { CORES, moveToCore } from './processes.mjs';

/** Typical settings for a server of this size. Durability is the default: fsync and synchronous_commit are on. */
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', shared_preload_libraries: 'auto_explain' };

/** One animal in a hundred is sold, two in ten are pending. */
const FILL = `
  INSERT INTO pets (name, category_id, status)
  SELECT 'Animal ' || i, i % 50 + 1,
    CASE WHEN i % 100 = 0 THEN 'sold' WHEN i % 5 = 1 THEN 'pending' ELSE 'available' END
  FROM generate_series($1::int, $2::int) AS i`;
const PART = 1_000_000;

/** Starts a private PostgreSQL on the core of the load generator; the bench stops it. */
export async function startDatabase(bench, settings = {}) {
  bench.progress('starting PostgreSQL');
  const binaries = postgresBinaries();
  const cluster = await startCluster(binaries, { ...SETTINGS, ...settings });
  bench.defer(cluster.stop);
  moveServer(cluster);
  const [version] = await query(cluster.url, 'SHOW server_version');
  return {
    ...cluster,
    version: version.server_version.split(' ', 1)[0],
    logFile: join(cluster.folder, 'log'),
  };
}

/** Later connections inherit the core. */
export function moveServer(cluster) {
  for (const pid of processesOf(cluster)) moveToCore(CORES.others, pid);
}

export function processesOf({ data }) {
  const [postmaster] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1);
  const children = execFileSync('pgrep', ['-P', postmaster], { encoding: 'utf8' }).trim().split('\n');
  return [postmaster, ...children];
}

/** Creates a database with this many animals and a key. Starting the service once runs the migrations. */
export async function fillDatabase(bench, { url }, name, rows, settings = {}) {
  const own = Object.assign(new URL(url), { pathname: name }).href;
  await query(url, `CREATE DATABASE ${name}`);
  const [key] = await issueKeys({ DATABASE_URL: own, KEY_ENVIRONMENT: 'test', ...settings }, 1);
  const { stop } = await startContestant(bench, CONTESTANTS[0], { url: own, key, settings });
  await stop();
  await addAnimals(bench, own, rows);
  return { url: own, key, rows };
}

export async function addAnimals(bench, url, rows) {
  bench.progress(`adding ${rows.toLocaleString('en')} animals`);
  const started = performance.now();
  for (let from = 1; from <= rows; from += PART) {
    const to = Math.min(rows, from + PART - 1);
    await query(url, FILL, [from, to]);
    if (to === rows) break;
    const minutes = ((performance.now() - started) / 60_000) * (rows / to - 1);
    bench.progress(`${to.toLocaleString('en')} animals added, ${minutes.toFixed(1)} minutes to go`);
  }
  bench.progress('VACUUM ANALYZE, CHECKPOINT');
  await query(url, 'VACUUM ANALYZE');
  await query(url, 'CHECKPOINT');
}

export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
