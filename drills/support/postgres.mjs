import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { postgresBinaries } from '../../scripts/support/postgres-binaries.mjs';
import { startCitus } from '../../scripts/support/citus-cluster.mjs';
import { startCluster } from '../../scripts/support/postgres-cluster.mjs';

const ACCEPT_MS = 60_000;

/** Starts a PostgreSQL for the drill, or a cluster under `npm run with-citus`, and removes it at the end. */
export async function startPostgres(drill, configuration) {
  const isCitus = process.env.DATABASE_DISTRIBUTION === 'citus';
  drill.progress(isCitus ? 'starting Citus' : 'starting PostgreSQL');
  const cluster = await (isCitus ? startCitus : startCluster)(postgresBinaries(), configuration);
  drill.defer(cluster.stop);
  return cluster;
}

/** Freezes every process of the server: connections stay open without an answer. */
export function freeze(drill, cluster) {
  const postmaster = Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  // The postmaster first, so that it forks no more processes.
  process.kill(postmaster, 'SIGSTOP');
  const frozen = [postmaster, ...childrenOf(postmaster)];
  const thaw = () => signalAll(frozen.splice(0), 'SIGCONT');
  drill.defer(thaw); // a frozen server cannot be stopped
  signalAll(frozen.slice(1), 'SIGSTOP');
  return thaw;
}

/** Resolves with the time at which the server accepts connections. */
export async function accepting(url) {
  for (const end = performance.now() + ACCEPT_MS; performance.now() < end; await delay(10)) {
    try {
      await withClient(url, (client) => client.query('SELECT 1'));
      return performance.now();
    } catch {
      // Not yet.
    }
  }
  throw new Error(`PostgreSQL takes no connections within ${ACCEPT_MS / 1000} s.`);
}

export async function withClient(url, task) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // pending queries reject with it
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

export const query = (url, text, values) =>
  withClient(url, async (client) => (await client.query(text, values)).rows);

function childrenOf(parent) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid) {
  try {
    // The program name, in parentheses, may contain any character.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
  } catch {
    return null; // the process has ended
  }
}

function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}
