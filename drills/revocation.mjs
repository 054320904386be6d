import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { root } from '../scripts/support/root.mjs';
import { runChild } from '../scripts/support/run-child.mjs';
import { bearer, httpClient } from './support/http.mjs';
import { startPostgres } from './support/postgres.mjs';
import { issueKeys, startService } from './support/service.mjs';

export const title = 'a revoked key is refused by every replica within five seconds';

const REPLICAS = 4;
const ROUNDS = 3;
const LIMIT_MS = 5_000;

export async function run(drill) {
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test' };
  const keys = await issueKeys(settings, ROUNDS);
  const clients = [];
  for (let i = 0; i < REPLICAS; i++) {
    const { origin } = await startService(drill, settings);
    clients.push(httpClient(drill, origin));
  }
  for (const [round, key] of keys.entries()) {
    const slowest = await revokeUnderLoad(drill, settings, clients, key, round + 1);
    drill.figure(`round ${round + 1}: refused by the last replica after`, `${(slowest / 1000).toFixed(2)} s`);
    drill.expect(
      `round ${round + 1}: refused by all ${REPLICAS} replicas within ${LIMIT_MS / 1000} s`,
      slowest <= LIMIT_MS,
    );
  }
}

/** Uses the key continuously on all replicas, so that each has it cached when it is revoked. */
async function revokeUnderLoad(drill, settings, clients, key, id) {
  drill.progress(`round ${id}: the key is in use on ${clients.length} replicas`);
  let revokedAt = Infinity;
  const refusals = clients.map(async ({ call }) => {
    let accepted = 0;
    for (;;) {
      const { status } = await call('GET', '/v1/pets', { headers: bearer(key) });
      if (status === 401) {
        if (accepted === 0) throw new Error('The key was never accepted.');
        return performance.now() - revokedAt;
      }
      accepted++;
      if (performance.now() - revokedAt > 4 * LIMIT_MS) return Infinity;
      await delay(5);
    }
  });
  await delay(500);
  const args = [join('scripts', 'run.mjs'), 'auth/keys.cli', 'revoke', String(id)];
  const env = { ...process.env, ...settings };
  const { code, output } = await runChild(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  revokedAt = performance.now();
  if (code !== 0) throw new Error(output);
  // A replica may refuse the key before the command exits, which counts as 0.
  return Math.max(0, ...(await Promise.all(refusals)));
}
