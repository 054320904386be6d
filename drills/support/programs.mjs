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

/** All load comes from one address. */
const HIGH_LIMITS = { HAPROXY_ADDRESS_CONNECTIONS: '2000', HAPROXY_ADDRESS_REQUESTS: '1000000' };

export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const ended = once(child, 'exit').catch(() => {}); // a program that does not exist
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  async function stop(signal = 'SIGTERM') {
    if (isRunning()) child.kill(signal);
    await ended;
  }
  defer(() => stop('SIGKILL'));
  return { child, stop, isRunning };
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
  const env = { ...process.env, ...usual, ...ports, ...settings };
  const service = { host, metrics, origin: `http://${host}`, start: begin };
  async function begin() {
    const options = { cwd: root, env, stdio: ['ignore', output, 'inherit'] };
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
  const pool = new pg.Pool({ connectionString: database.url, max: 100 });
  pool.on('error', () => {}); // servers are killed here
  const sql = async (text, values) => (await pool.query(text, values)).rows;
  return { database, services, key: await issueKey(database), pool, sql };
}

/** HAProxy with the configuration of docker/, in front of one or two services. `isUp` tells what it thinks of them. */
export async function startHaproxy(services, limits = HIGH_LIMITS) {
  const [host, status] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const [one, two = '127.0.0.1:1'] = services.map((service) => service.host);
  const env = { ...process.env, ...limits, HAPROXY_HTTP: host, HAPROXY_STATUS: status, REPLICA_1: one, REPLICA_2: two };
  const args = ['-db', '-f', join(root, 'docker/haproxy.cfg')];
  start(require('haproxy', 'haproxy'), args, { env, stdio: 'ignore' });
  async function isUp(number) {
    const { text } = await ask(`http://${status}`, 'GET', '/metrics');
    return text.includes(`haproxy_server_status{proxy="animal_store",server="replica-${number}",state="UP"} 1`);
  }
  for (let i = 1; i <= services.length; i++) await until(`HAProxy uses replica ${i}`, () => isUp(i));
  return { origin: `http://${host}`, host, status, isUp };
}
