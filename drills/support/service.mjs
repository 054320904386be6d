import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prepare } from '../../scripts/prepare.mjs';
import { root } from '../../scripts/support/root.mjs';
import { runChild } from '../../scripts/support/run-child.mjs';
import { say } from '../../scripts/support/say.mjs';
import { freePort } from '../../scripts/support/free-port.mjs';

const START_MS = 30_000;

/** Drills exceed the default rate limits. */
const NO_RATE_LIMITS = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_FAILURES: '0' };

/** Starts the built service on a free loopback port; the drill stops it. `settings` are environment variables. */
export async function startService(drill, settings, { node } = {}) {
  drill.progress('starting the service');
  const service = await launchService(drill, settings, { node });
  await ready(service);
  return service;
}

/** Like startService, but does not wait until the service is ready. `node` are arguments for Node.js. */
export async function launchService(drill, settings, { port, node = [] } = {}) {
  await prepare();
  const own = {
    HOST: '127.0.0.1',
    PORT: String(port ?? settings.PORT ?? (await freePort())),
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    ...NO_RATE_LIMITS,
  };
  const env = environment({ ...own, ...settings });
  const child = spawn(process.execPath, [...node, 'scripts/start.mjs'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const running = () => child.exitCode === null && child.signalCode === null;
  const stop = async (signal = 'SIGTERM') => {
    if (running()) child.kill(signal);
    await exited;
  };
  drill.defer(() => stop());
  const tell = env.LOG_LEVEL === 'fatal' ? () => {} : (line) => say(`  service: ${line}`);
  createInterface(child.stdout).on('line', tell);
  return { origin: `http://127.0.0.1:${own.PORT}`, pid: child.pid, child, running, exited, stop };
}

/** Issues keys for the database in `settings`. */
export async function issueKeys(settings, count) {
  const keys = [];
  for (let i = 0; i < count; i++) {
    const args = [join('scripts', 'run.mjs'), 'auth/keys.cli', 'issue', '--name', `drill-${i}`, '--quiet'];
    const { code, output } = await runChild(process.execPath, args, {
      cwd: root,
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (code !== 0) throw new Error(`Issuing a key failed:\n${output}`);
    keys.push(output.trim());
  }
  return keys;
}

/** WORKERS and DATABASE_DISTRIBUTION of a drill are for its services on PostgreSQL, not on the embedded database. */
function environment(settings) {
  const env = { ...process.env, ...settings };
  if (!env.DATABASE_URL) {
    delete env.WORKERS;
    delete env.DATABASE_DISTRIBUTION;
  }
  return env;
}

/** Resolves to the time when the service is ready, which is after it listens. */
export async function ready({ origin, child, running }) {
  for (const end = performance.now() + START_MS; performance.now() < end; await delay(20)) {
    if (!running()) throw new Error(`The service exited with ${child.exitCode ?? child.signalCode}.`);
    if ((await healthOf(origin, 'ready')) === 200) return performance.now();
  }
  throw new Error(`The service was not ready within ${START_MS / 1_000} s.`);
}

/** The status of /health/live or /health/ready, or 0 without an answer. */
export async function healthOf(origin, kind) {
  const answer = await fetch(`${origin}/health/${kind}`, { headers: { connection: 'close' } }).catch(
    () => null,
  );
  await answer?.arrayBuffer();
  return answer?.status ?? 0;
}
