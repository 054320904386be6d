import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../scripts/support/free-port.mjs';
import { requireHaproxy } from '../../scripts/support/haproxy.mjs';
import { root } from '../../scripts/support/root.mjs';
import { say } from '../../scripts/support/say.mjs';

const START_MS = 10_000;

/**
 * Runs HAProxy with the configuration of the deployments in `docker`, except for the addresses. `up` waits until it
 * considers a server healthy.
 */
export async function startHaproxy(drill, { files = ['haproxy.cfg'], host = '127.0.0.1', addresses }) {
  await requireHaproxy(drill);
  const [http, status] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    HAPROXY_HTTP: `${host}:${http}`,
    HAPROXY_STATUS: `127.0.0.1:${status}`,
    ...addresses,
  };
  // -db: one process in the foreground, which ends with the drill.
  const args = ['-db', ...files.flatMap((file) => ['-f', join(root, 'docker', file)])];
  const child = spawn('haproxy', args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  drill.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  createInterface(child.stdout).on('line', (line) => {
    if (/ is (UP|DOWN),/.test(line)) say(`  haproxy: ${line.split(',', 2).join(',')}`);
  });
  const up = async (server, isUp = true) => {
    const url = `http://127.0.0.1:${status}/status;csv`;
    for (const end = performance.now() + START_MS; performance.now() < end; await delay(50)) {
      if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}.`);
      const text = await fetch(url, { headers: { connection: 'close' } }).then(
        (answer) => answer.text(),
        () => '',
      );
      const state = text.split('\n').find((line) => line.split(',')[1] === server);
      if (state && state.split(',')[17].startsWith('UP') === isUp) return;
    }
    throw new Error(`HAProxy does not take ${server} for ${isUp ? 'usable' : 'unusable'}.`);
  };
  return { origin: `http://${host}:${http}`, status: `127.0.0.1:${status}`, pid: child.pid, up };
}
