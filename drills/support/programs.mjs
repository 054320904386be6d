// The programs of a drill: each ends with it at the latest.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../scripts/support/free-port.mjs';
import { startPostgres } from '../../scripts/support/postgres.mjs';
import { require, root } from '../../scripts/support/programs.mjs';
import { defer, until } from './drill.mjs';
import { ask } from './load.mjs';

export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const ended = once(child, 'exit').catch(() => {}); // a program that does not exist
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  async function stop(signal = 'SIGTERM') {
    if (isRunning()) child.kill(signal);
    await ended;
  }
  defer(() => stop('SIGKILL'));
  return { child, pid: child.pid, stop, isRunning };
}

export async function startDatabase() {
  const database = await startPostgres();
  defer(() => database.remove());
  return database;
}

/** A replica. `start` starts it again. Resolves when it is ready, or only `live`. */
export async function startService(settings, { output = 'ignore', state = 'ready' } = {}) {
  const [host, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const ports = { PORT: host.split(':')[1], METRICS_PORT: metrics.split(':')[1] };
  const usual = { LOG_LEVEL: 'error', LOG_FORMAT: 'json', RATE_LIMIT_PER_KEY: '0', SHUTDOWN_DRAIN_MS: '2000' };
  const options = {
    cwd: root,
    env: { ...process.env, ...usual, ...ports, ...settings },
    stdio: ['ignore', output, 'inherit'],
  };
  const service = { host, metrics, origin: `http://${host}`, start: begin };
  async function begin() {
    Object.assign(service, start(process.execPath, ['dist/main.js'], options));
    service.child.stdout?.resume();
    await until(`${host} is ${state}`, () => {
      if (!service.isRunning()) throw new Error('The service ended.');
      return isIn(state, service);
    });
    return service;
  }
  return begin();
}

export const isIn = async (state, { origin }) => (await ask(origin, 'GET', `/health/${state}`)).status === 200;

export async function issueKey({ url }) {
  const env = { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'error' };
  const args = ['dist/auth/keys.cli.js', 'issue', '--name', 'drill', '--quiet'];
  return (await promisify(execFile)(process.execPath, args, { cwd: root, env })).stdout.trim();
}

/** A database, replicas, and a key for them. */
export async function startStore({ replicas = 1, database, settings = {}, output } = {}) {
  database ??= await startDatabase();
  const one = () => startService({ DATABASE_URL: database.url, ...settings }, { output });
  const services = await Promise.all(Array.from({ length: replicas }, one));
  const sql = (text, values) => query(database, text, values);
  return { database, services, key: await issueKey(database), sql };
}

export async function connectTo({ url }) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // servers are killed here
  await client.connect();
  return client;
}

export async function query(database, text, values) {
  const client = await connectTo(database);
  const { rows } = await client.query(text, values).finally(() => client.end());
  return rows;
}

/** HAProxy with the configuration of docker/, in front of one or two services. `isUp` tells what it thinks of them. */
export async function startHaproxy(services, host = '127.0.0.1') {
  const [http, status] = [`${host}:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const [one, two = '127.0.0.1:1'] = services.map((service) => service.host);
  const addresses = { HAPROXY_HTTP: http, HAPROXY_STATUS: status, REPLICA_1: one, REPLICA_2: two };
  const limits = { HAPROXY_ADDRESS_CONNECTIONS: '2000', HAPROXY_ADDRESS_REQUESTS: '1000000' };
  const env = { ...process.env, ...addresses, ...(host === '127.0.0.1' && limits) };
  const args = ['-db', '-f', join(root, 'docker/haproxy.cfg')];
  start(require('haproxy', 'haproxy'), args, { env, stdio: 'ignore' });
  async function isUp(number) {
    const { text } = await ask(`http://${status}`, 'GET', '/metrics');
    return text.includes(`haproxy_server_status{proxy="animal_store",server="replica-${number}",state="UP"} 1`);
  }
  for (let i = 1; i <= services.length; i++) await until(`HAProxy uses replica ${i}`, () => isUp(i));
  return { origin: `http://${http}`, host: http, status, isUp };
}
