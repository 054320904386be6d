import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { startHaproxy } from './support/haproxy.mjs';
import { incidents } from './support/incidents.mjs';
import { startNodeExporter } from './support/node-exporter.mjs';
import { PatroniCluster } from './support/patroni.mjs';
import { alertNames, startPrometheus } from './support/prometheus.mjs';
import { RawClient } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { mixedRequests, SteadyLoad } from './support/steady-load.mjs';

export const title = 'the alerts of docker/prometheus fire when they should, and the dashboard has data';
export const hasShortForm = true;

const PER_SECOND = 50;
const QUIET_S = { long: 600, short: 15 };
const PATIENCE_MS = 60_000;

export async function run(drill) {
  const covered = new Set(incidents.flatMap(({ fires }) => fires));
  const uncovered = alertNames().filter((name) => !covered.has(name));
  drill.expect(
    `every alert has an incident (without: ${uncovered.join(', ') || 'none'})`,
    uncovered.length === 0,
  );
  const store = await startStore(drill);
  const { prometheus } = store;
  const quiet = drill.short ? QUIET_S.short : QUIET_S.long;
  drill.progress(`quiet: ${PER_SECOND} requests a second for ${quiet} s`);
  await delay(quiet * 1_000);
  const fired = await prometheus.firing(quiet);
  drill.figure('quiet', `${quiet} s of load: ${fired.join(', ') || 'no alert'}`);
  drill.expect(`no alert fires in ${quiet} quiet seconds`, fired.length === 0);

  for (const incident of incidents) {
    if (!drill.short || incident.short) await stage(store, incident);
  }
}

/** Two replicas behind HAProxy under steady load, all scraped by Prometheus. */
async function startStore(drill) {
  const { cluster, settings, key } = await setUp(drill);
  const replicas = [];
  for (const name of ['replica-1', 'replica-2']) {
    const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
    const own = { ...settings, ...ports, METRICS_HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };
    replicas.push({ name, settings: own, service: await startService(drill, own) });
  }
  const [first, second] = replicas.map(({ settings: { PORT } }) => `127.0.0.1:${PORT}`);
  const proxy = await startHaproxy(drill, { addresses: { REPLICA_1: first, REPLICA_2: second } });
  for (const { name } of replicas) await proxy.up(name);
  const others = drill.short ? {} : await startOthers(drill);
  const prometheus = await startPrometheus(drill, {
    'animal-store': replicas.map(({ settings: { METRICS_PORT } }) => `127.0.0.1:${METRICS_PORT}`),
    haproxy: [proxy.status],
    ...others.targets,
  });
  const client = new RawClient(proxy.origin);
  drill.defer(() => client.close());
  const load = new SteadyLoad(client, PER_SECOND, mixedRequests(key));
  drill.defer(() => load.stop());
  return { drill, cluster, key, replicas, proxy, prometheus, client, ...others };
}

/** What else the rules watch: the disks of a machine, and a highly available database, which the store does not use. */
async function startOthers(drill) {
  const disk = await startNodeExporter(drill);
  const nodes = new PatroniCluster(drill);
  await nodes.start();
  const targets = { node: [disk.address], patroni: nodes.nodes.map(({ rest }) => `127.0.0.1:${rest}`) };
  return { disk, nodes, targets };
}

/** Causes an incident, waits until its alerts have fired, ends it, and waits until none fires. */
async function stage(store, { name, fires, may = [], cause }) {
  const { drill, prometheus } = store;
  drill.progress(name);
  const from = performance.now();
  const seconds = () => (performance.now() - from) / 1_000;
  const end = await cause(store);
  const all = await until(async () => {
    const firing = await prometheus.firing(seconds());
    return fires.every((alert) => firing.includes(alert));
  });
  const took = seconds();
  await end?.();
  const calm = await until(async () => (await prometheus.firing()).length === 0);
  const fired = await prometheus.firing(seconds());
  const others = fired.filter((alert) => !fires.includes(alert) && !may.includes(alert));
  drill.figure(name, `${fired.join(', ')}; ${took.toFixed(0)} s`);
  drill.expect(`${name}: ${fires.join(', ')} fire`, all);
  drill.expect(`${name}: no other alert (${others.join(', ') || 'none'})`, others.length === 0);
  drill.expect(`${name}: no alert remains`, calm);
}

async function until(holds) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(500)) {
    if (await holds()) return true;
  }
  return false;
}
