import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/support/free-port.mjs';
import { require, root } from '../../scripts/support/programs.mjs';
import { ask } from './client.mjs';
import { until } from './drill.mjs';

/** Starts a program that ends with the drill at the latest. */
export function start(drill, command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const ended = once(child, 'exit').catch(() => {}); // a program that does not exist
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  async function stop(signal = 'SIGTERM') {
    if (isRunning()) child.kill(signal);
    await ended;
  }
  drill.defer(() => {
    if (isRunning()) child.kill('SIGCONT');
    return stop('SIGKILL');
  });
  return { child, pid: child.pid, stop, isRunning };
}

export const isReady = async (origin, what = 'ready') => (await ask(origin, 'GET', `/health/${what}`)).status === 200;

/** A replica. `start` starts it (again) and resolves when it is ready, or only listens. */
export async function startService(drill, settings, { whenListening, stdio = ['ignore', 'ignore', 'inherit'] } = {}) {
  const port = await freePort();
  const env = { ...process.env, LOG_LEVEL: 'error', RATE_LIMIT_PER_KEY: '0', SHUTDOWN_DRAIN_MS: '2000', ...settings };
  const service = { origin: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, start: begin };
  async function begin() {
    const all = { ...env, PORT: String(port), LOG_FORMAT: 'json' };
    Object.assign(service, start(drill, process.execPath, ['dist/main.js'], { cwd: root, env: all, stdio }));
    service.child.stdout?.resume();
    await until(`${service.origin} is ready`, () => {
      if (!service.isRunning()) throw new Error('The service ended.');
      return isReady(service.origin, whenListening ? 'live' : 'ready');
    });
    return service;
  }
  return begin();
}

export async function issueKey(databaseUrl) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' };
  const args = ['dist/auth/keys.cli.js', 'issue', '--name', 'drill', '--quiet'];
  return (await promisify(execFile)(process.execPath, args, { cwd: root, env })).stdout.trim();
}

/** HAProxy with the configuration of docker/, in front of one or two services. `isUp` tells what it thinks of them. */
export async function startHaproxy(drill, services, { host = '127.0.0.1' } = {}) {
  require('haproxy', 'haproxy');
  const [http, status] = [`${host}:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const [one, two = '127.0.0.1:1'] = services.map((service) => service.host);
  const addresses = { HAPROXY_HTTP: http, HAPROXY_STATUS: status, REPLICA_1: one, REPLICA_2: two };
  const limits = { HAPROXY_ADDRESS_CONNECTIONS: '2000', HAPROXY_ADDRESS_REQUESTS: '1000000' };
  const env = { ...process.env, ...addresses, ...(host === '127.0.0.1' && limits) };
  const stdio = ['ignore', 'ignore', 'ignore'];
  const args = ['-db', '-f', join(root, 'docker/haproxy.cfg')];
  const { child, pid, stop } = start(drill, 'haproxy', args, { env, stdio });
  async function isUp(number) {
    if (child.exitCode !== null) throw new Error('HAProxy ended: haproxy -c -f docker/haproxy.cfg');
    const { text } = await ask(`http://${status}`, 'GET', '/status;csv');
    const line = text.split('\n').find((each) => each.startsWith(`animal_store,replica-${number},`));
    return line?.split(',')[17].startsWith('UP') ?? false;
  }
  for (let i = 1; i <= services.length; i++) await until(`HAProxy uses replica ${i}`, () => isUp(i));
  return { origin: `http://${http}`, host: http, status, isUp, pid, stop };
}
