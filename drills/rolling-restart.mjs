import { setTimeout as delay } from 'node:timers/promises';
import { bearer, httpClient } from './support/http.mjs';
import { query, startPostgres } from './support/postgres.mjs';
import { childrenOf } from './support/process-figures.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { startReplicas } from './support/two-replicas.mjs';

export const hasShortForm = true;
export const title =
  'no request fails while replicas behind HAProxy restart one after the other, or one renews its workers (--short: one round)';

const LONG = { rounds: 10, requests: 20_000, perSecond: 250 };
const SHORT = { rounds: 1, requests: 2_000, perSecond: 250 };
const EXIT_MS = 10_000;
const WORKERS = 2;
const RENEWAL_MS = 60_000;
const CLIENTS = 20;

export async function run(drill) {
  const shape = drill.short ? SHORT : LONG;
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test' };
  const [key] = await issueKeys(settings, 1);

  await restartReplicas(drill, shape, settings, key);
  await renewWorkers(drill, shape, settings, key);
}

async function restartReplicas(drill, shape, settings, key) {
  const { origin, replicas, end, begin } = await startReplicas(drill, settings);
  const load = await steadyLoad(drill, origin, key, shape.perSecond, settings.DATABASE_URL);
  const exits = [];
  for (let round = 1; round <= shape.rounds; round++) {
    for (const replica of replicas) {
      exits.push(await end(replica));
      await begin(replica);
      drill.progress(
        `round ${round}: ${replica.name} is back; ${load.sent()} requests, ${load.failed()} failed`,
      );
    }
  }
  await judge(drill, 'restarts', load, shape);
  for (const { service } of replicas) await service.stop();
  const slowest = Math.max(...exits.map(({ ms }) => ms));
  drill.figure('restarts', `${exits.length}, the slowest exit after ${(slowest / 1000).toFixed(2)} s`);
  drill.expect(`every replica exits within ${EXIT_MS / 1000} s`, slowest <= EXIT_MS);
  drill.expect(
    'every replica exits with code 0',
    exits.every(({ exitCode }) => exitCode === 0),
  );
}

/** Without a proxy, which would hide a connection that is closed under a request. */
async function renewWorkers(drill, shape, settings, key) {
  const service = await startService(drill, { ...settings, WORKERS: String(WORKERS) });
  const load = await steadyLoad(drill, service.origin, key, shape.perSecond, settings.DATABASE_URL);
  const times = [];
  for (let round = 1; round <= shape.rounds; round++) {
    times.push(await renewal(service));
    drill.progress(`renewal ${round}; ${load.sent()} requests, ${load.failed()} failed`);
  }
  await judge(drill, 'renewals', load, shape);
  const slowest = Math.max(...times) / 1000;
  drill.figure('renewals', `${times.length} of ${WORKERS} workers, the slowest in ${slowest.toFixed(1)} s`);
  drill.expect('the service did not restart', service.running());
}

/** Resolves to the time after which all workers are new ones. */
async function renewal({ pid, child }) {
  const began = performance.now();
  let workers = [];
  const elapsed = () => performance.now() - began;
  const until = async (holds) => {
    while (!holds()) {
      if (elapsed() > RENEWAL_MS) throw new Error(`The workers are not renewed in ${RENEWAL_MS / 1000} s.`);
      await delay(50);
    }
  };
  await until(() => (workers = childrenOf(pid)).length === WORKERS); // a second one may still be starting
  child.kill('SIGHUP');
  await until(() => {
    const present = childrenOf(pid);
    return present.length === WORKERS && present.every((worker) => !workers.includes(worker));
  });
  return elapsed();
}

/** Sends requests at a steady rate over kept-alive connections; one in four is a POST. */
async function steadyLoad(drill, origin, key, perSecond, database) {
  const stored = async () => (await query(database, 'SELECT count(*)::int AS stored FROM pets'))[0].stored;
  const before = await stored();
  const { call } = httpClient(drill, origin, { connections: CLIENTS, timeoutMs: 15_000 });
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const latencies = [];
  const failures = [];
  const pending = new Set();
  let sent = 0;
  let acknowledged = 0;
  const ask = async (i) => {
    const post = i % 4 === 0;
    const body = JSON.stringify({ name: `animal ${i}`, categoryId: i });
    const method = post ? 'POST' : 'GET';
    const path = post ? '/v1/pets' : '/v1/pets?limit=10';
    const answer = await call(method, path, { headers, body: post ? body : undefined }).catch(
      (error) => error,
    );
    if (answer.status !== (post ? 201 : 200)) failures.push(`${method}: ${answer.status ?? answer.message}`);
    else {
      latencies.push(answer.ms);
      if (post) acknowledged++;
    }
  };
  const timer = setInterval(() => {
    for (let i = 0; i < perSecond / 50; i++) {
      const request = ask(sent++).finally(() => pending.delete(request));
      pending.add(request);
    }
  }, 20);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(pending);
    return { sent, acknowledged, stored: (await stored()) - before, latencies, failures };
  };
  drill.defer(stop);
  return { sent: () => sent, failed: () => failures.length, stop };
}

async function judge(drill, name, load, { requests }) {
  while (load.sent() < requests) await delay(100);
  const { sent, acknowledged, stored, latencies, failures } = await load.stop();
  const ms = (share) => `${percentile(latencies, share).toFixed(1)} ms`;
  drill.figure(`${name}, requests`, `${sent}, of which ${failures.length} failed`);
  drill.figure(`${name}, latency`, `p50 ${ms(0.5)}, p99 ${ms(0.99)}, at most ${ms(1)}`);
  drill.figure(`${name}, animals`, `${acknowledged} acknowledged, ${stored} stored`);
  const kinds = [...new Set(failures)].slice(0, 5).join('; ');
  drill.expect(`${name}: no request failed ${kinds}`, failures.length === 0);
  drill.expect(`${name}: at least ${requests} requests were made`, sent >= requests);
  drill.expect(`${name}: every animal is stored once`, stored === acknowledged);
}
