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

/** A drill sends more than a client may. */
const NO_RATE_LIMITS = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_FAILURES: '0' };

/** The built service on a free port of the loopback interface, ended with the drill. `settings` are its environment. */
export async function startService(drill, settings) {
  await prepare();
  drill.progress('starting the service');
  const port = settings.PORT ?? (await freePort());
  const own = {
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    ...NO_RATE_LIMITS,
  };
  const env = { ...process.env, ...own, ...settings };
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  };
  drill.defer(stop);
  createInterface(child.stdout).on('line', (line) => say(`  service: ${line}`));
  const origin = `http://127.0.0.1:${port}`;
  await ready(origin, child);
  return { origin, pid: child.pid, child, stop };
}

/** Keys for the database that `settings` name; an embedded one must not be in use by a service. */
export async function issueKeys(settings, count) {
  const keys = [];
  for (let i = 0; i < count; i++) {
    const args = [join('scripts', 'run.mjs'), 'auth/keys.cli', 'issue', '--name', `drill-${i}`, '--quiet'];
    const { code, output } = await runChild(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (code !== 0) throw new Error(`No key was issued:\n${output}`);
    keys.push(output.trim());
  }
  return keys;
}

/** It listens before it has reached its database. */
async function ready(origin, child) {
  for (const end = performance.now() + START_MS; performance.now() < end; await delay(100)) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    const answer = await fetch(`${origin}/health/ready`, { headers: { connection: 'close' } }).catch(
      () => null,
    );
    if (answer?.ok) return;
  }
  throw new Error('The service does not get ready.');
}
