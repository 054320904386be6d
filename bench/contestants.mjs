import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { root } from '../scripts/support/root.mjs';
import { CORES, onCore } from './processes.mjs';

export const peers = join(root, 'bench', 'peers');
const START_MS = 60_000;

/** Production settings, with log, rate limits and metrics on; the rate limit is out of reach. */
async function serviceSettings() {
  return {
    HOST: '127.0.0.1',
    KEY_ENVIRONMENT: 'test',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    RATE_LIMIT_PER_KEY: '100000000',
    METRICS_PORT: String(await freePort()),
    SHUTDOWN_DRAIN_MS: '0', // there is no load balancer
    NODE_ENV: 'production',
  };
}

const node = (...path) => [process.execPath, join(...path)];
const service = {
  command: node(root, 'dist', 'main.js'),
  settings: serviceSettings,
  readyPath: '/health/ready',
};
const production = () => ({ NODE_ENV: 'production' });

/** Contestants with a `toolchain` take part where it is installed; prepare-peers.mjs builds them. */
export const CONTESTANTS = [
  { name: 'service', title: 'this service', ...service },
  {
    name: 'fastify',
    title: 'by hand',
    command: node(peers, 'fastify', 'main.mjs'),
    settings: production,
  },
  {
    name: 'go',
    title: 'Go',
    toolchain: 'go',
    build: ['build', '-o', 'dist/peer', '.'],
    command: [join(peers, 'go', 'dist', 'peer')],
    settings: () => ({ GOMAXPROCS: '1' }),
  },
  {
    name: 'rust',
    title: 'Rust',
    toolchain: 'cargo',
    build: ['build', '--release', '--locked'],
    command: [join(peers, 'rust', 'target', 'release', 'animal-store-bench-peer')],
    settings: () => ({}), // its runtime has one thread
  },
  {
    name: 'express',
    title: 'by default',
    command: node(peers, 'express', 'dist', 'main.js'),
    settings: production,
  },
  { name: 'again', title: 'this service once more', ...service },
  {
    name: 'fixed',
    title: 'fixed page',
    command: node(peers, 'fixed', 'main.mjs'),
    settings: production,
    only: ['hot'],
  },
];

/** Starts a contestant on its own core, or on all of them. Its log goes to /dev/null, so writing it counts. */
export async function startContestant(
  bench,
  contestant,
  { url, key, settings = {}, core = CORES.application },
) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    DATABASE_URL: url,
    KEY_HASH: createHash('sha256').update(key).digest('base64'),
    PORT: String(port),
    ...(await contestant.settings()),
    ...settings,
  };
  const [command, ...args] = core === 'any' ? contestant.command : onCore(core, contestant.command);
  const started = performance.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const deadline = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(deadline);
  };
  bench.defer(stop);
  await untilReady(contestant, child, origin, key);
  return { ...contestant, origin, pid: child.pid, stop, startMs: performance.now() - started, requests: 0 };
}

/** Waits until a contestant has reached its database: a peer then answers with a page. */
async function untilReady({ title, readyPath = '/v1/pets' }, child, origin, key) {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  for (const end = performance.now() + START_MS; performance.now() < end; await delay(10)) {
    if (child.exitCode !== null)
      throw new Error(`${title} exited with ${child.exitCode} instead of starting. See its error above.`);
    const answer = await fetch(`${origin}${readyPath}`, { headers }).catch(() => null);
    if (answer?.ok) return;
  }
  throw new Error(`${title} was not ready within ${START_MS / 1_000} s.`);
}
