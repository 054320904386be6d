import { setTimeout as delay } from 'node:timers/promises';
import { refusedProperly, succeeded } from './support/answers.mjs';
import { accepting, freeze } from './support/postgres.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { healthOf, launchService, ready } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';

export const title = 'the service starts without its database, and is ready soon after the database is';
export const hasShortForm = true;

/** The most that start-up may take, as a multiple of a start with the database up, since that depends on the machine. */
const ALIVE_SHARE = 2;
const READY_MS = 2_000;

export async function run(drill) {
  const { cluster, settings, key } = await setUp(drill);
  const absences = {
    down: async () => {
      await cluster.pgCtl('stop', '-m', 'fast');
      return () => cluster.pgCtl('start');
    },
    frozen: () => freeze(drill, cluster),
  };
  drill.progress('baseline: starting with the database up');
  const { service: usual, aliveMs: usualMs } = await launch(drill, settings);
  await ready(usual);
  await usual.stop();
  drill.figure('database up', `alive ${seconds(usualMs)} after launch`);
  for (let round = 1; round <= (drill.short ? 1 : 5); round++) {
    for (const [how, damage] of Object.entries(absences)) {
      drill.progress(`round ${round}: the database is ${how}`);
      await boot(drill, `round ${round}, database ${how}`, { cluster, settings, key, damage, usualMs });
    }
  }
}

async function boot(drill, name, { cluster, settings, key, damage, usualMs }) {
  const repair = await damage();
  const { service, aliveMs } = await launch(drill, settings);
  const client = new RawClient(service.origin);
  drill.defer(() => client.close());
  const list = requestText('GET', '/v1/pets', { key });
  const ready503 = (await healthOf(service.origin, 'ready')) === 503;
  const refused = refusedProperly(await client.ask(list));
  await delay(drill.short ? 2_000 : 6_000);
  const stillAlive = (await healthOf(service.origin, 'live')) === 200;

  const [acceptedAt] = await Promise.all([accepting(cluster.url), repair()]);
  const readyMs = Math.max(0, (await ready(service)) - acceptedAt);
  const served = succeeded(await client.ask(list));
  drill.figure(name, `alive ${seconds(aliveMs)} after launch, ready ${seconds(readyMs)} after PostgreSQL`);
  drill.expect(
    `${name}: alive within ${ALIVE_SHARE} times the baseline, and stays alive`,
    aliveMs <= usualMs * ALIVE_SHARE && stillAlive,
  );
  drill.expect(`${name}: not ready, and requests get 503`, ready503 && refused);
  drill.expect(`${name}: ready within ${READY_MS / 1_000} s after PostgreSQL`, readyMs <= READY_MS && served);
  await service.stop();
}

async function launch(drill, settings) {
  const launched = performance.now();
  const service = await launchService(drill, settings);
  while ((await healthOf(service.origin, 'live')) !== 200) {
    if (!service.running() || performance.now() - launched > 30_000)
      throw new Error('The service exited or was not alive within 30 s. See its log: LOG_LEVEL=info');
    await delay(20);
  }
  return { service, aliveMs: performance.now() - launched };
}

const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
