import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../scripts/support/postgres.mjs';
import { issueKey, startService } from './programs.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** PostgreSQL, replicas, and a key for them. The settings are those of all replicas, or a list of each one's. */
export async function startStore(drill, { replicas = 1, server, settings = {}, stdio } = {}) {
  const database = server ?? (await startPostgres());
  drill.defer(() => database.remove());
  const startOne = (number) =>
    startService(drill, { DATABASE_URL: database.url, ...(settings[number] ?? settings) }, { stdio });
  const first = await startOne(0);
  const others = Array.from({ length: replicas - 1 }, (_, i) => startOne(i + 1));
  const [key, ...rest] = await Promise.all([issueKey(database.url), ...others]);
  return { database, key, services: [first, ...rest], origin: first.origin };
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
