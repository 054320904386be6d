import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../scripts/support/postgres.mjs';
import { issueKey, startService } from './programs.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** PostgreSQL, one or more replicas, and a key for them. */
export async function startStore(drill, { replicas = 1, server, settings = {} } = {}) {
  const database = server ?? (await startPostgres());
  drill.defer(() => database.remove());
  const all = { DATABASE_URL: database.url, ...settings };
  const first = await startService(drill, all);
  const others = Array.from({ length: replicas - 1 }, () => startService(drill, all));
  const [key, ...rest] = await Promise.all([issueKey(database.url), ...others]);
  return { database, settings: all, key, services: [first, ...rest], origin: first.origin };
}

export async function connectTo(drill, url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // servers are killed here
  await client.connect();
  drill.defer(() => client.end().catch(() => {}));
  return client;
}

export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Suspends all processes of a server. Returns what lets them go on. */
export function freeze(drill, { data }) {
  const server = readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n')[0];
  process.kill(Number(server), 'SIGSTOP'); // starts no more processes
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', server], { encoding: 'utf8' }).stdout.match(/\d+/g) ?? [];
  const all = [server, ...children];
  execFileSync('kill', ['-STOP', ...all]);
  const thaw = () => void spawnSync('kill', ['-CONT', ...all]);
  drill.defer(thaw);
  return thaw;
}
