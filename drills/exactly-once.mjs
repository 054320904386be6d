import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tally } from './support/answers.mjs';
import { startCuttingProxy } from './support/cutting-proxy.mjs';
import { startHaproxy } from './support/haproxy.mjs';
import { query } from './support/postgres.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { RepeatingWriters } from './support/repeating-writers.mjs';
import { issueKeys } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { Supervisor } from './support/supervisor.mjs';

export const title =
  'what is repeated under its Idempotency-Key until it is acknowledged is done exactly once';
export const hasShortForm = true;

const WRITERS = 16;
/** The share of answers in the middle of which the connection is cut. */
const CUT = 0.02;
const AT_MOST_S = 1_800;

export async function run(drill) {
  const goal = drill.short
    ? { services: 3, databases: 1, acknowledged: 300, embedded: 1 }
    : { services: 100, databases: 12, acknowledged: 50_000, embedded: 20 };
  await onPostgres(drill, goal);
  await onEmbedded(drill, goal.embedded);
}

async function onPostgres(drill, goal) {
  const { cluster, settings, key } = await setUp(drill);
  const replicas = await Promise.all([1, 2].map(() => Supervisor.start(drill, settings)));
  const [first, second] = replicas.map(({ origin }) => new URL(origin).host);
  const balancer = await startHaproxy(drill, { addresses: { REPLICA_1: first, REPLICA_2: second } });
  for (const name of ['replica-1', 'replica-2']) await balancer.up(name);
  const { proxy, writers } = await startWriters(drill, balancer.origin, key);

  const kills = { services: 0, databases: 0 };
  const wanted = goal.services + goal.databases;
  const end = performance.now() + AT_MOST_S * 1_000;
  for (;;) {
    const done = kills.services + kills.databases;
    const { acknowledged } = writers.counts;
    if ((done >= wanted && acknowledged >= goal.acknowledged) || performance.now() > end) break;
    await delay(20);
    // Spread evenly over the writes, so that each kill meets some.
    if (done >= wanted || acknowledged < ((done + 0.5) / wanted) * goal.acknowledged) continue;
    const isDatabase = kills.databases * goal.services < kills.services * goal.databases;
    const target = isDatabase ? 'PostgreSQL' : 'a replica';
    drill.progress(`kill ${done + 1} of ${wanted}: ${target}, after ${acknowledged.toLocaleString('en')}`);
    if (isDatabase) {
      await cluster.pgCtl('stop', '-m', 'immediate');
      await cluster.pgCtl('start');
      kills.databases++;
    } else {
      await replicas[kills.services % 2].kill();
      kills.services++;
    }
  }
  for (const replica of replicas) await replica.ready();
  await writers.stop();
  await writers.compare(drill.short ? 50 : 1_000);
  drill.figure('kills', `${kills.services} of replicas, ${kills.databases} of PostgreSQL`);
  drill.expect(
    `${goal.services} and ${goal.databases} kills, ${goal.acknowledged.toLocaleString('en')} acknowledgements`,
    kills.services >= goal.services &&
      kills.databases >= goal.databases &&
      writers.counts.acknowledged >= goal.acknowledged,
  );
  drill.expect(
    'no replica crashes',
    replicas.every(({ crashes }) => crashes === 0),
  );
  const animals = await query(cluster.url, 'SELECT id::int, name FROM pets');
  const orders = await query(cluster.url, 'SELECT id::int, quantity FROM orders');
  judge(drill, 'PostgreSQL', { writers, proxy, animals, orders });
  await Promise.all(replicas.map((replica) => replica.stop()));
}

async function onEmbedded(drill, goal) {
  const folder = mkdtempSync(join(tmpdir(), 'exactly-once-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { DATABASE_URL: '', DATABASE_DIR: join(folder, 'database'), LOG_LEVEL: 'fatal' };
  const [key] = await issueKeys(settings, 1);
  const supervisor = await Supervisor.start(drill, settings);
  const { proxy, writers } = await startWriters(drill, supervisor.origin, key);
  for (let kill = 1; kill <= goal; kill++) {
    await delay(1_000 + Math.random() * 1_000);
    drill.progress(`embedded: kill ${kill} of ${goal}`);
    await supervisor.kill();
    await supervisor.ready();
  }
  await delay(500);
  await writers.stop();
  await writers.compare(drill.short ? 20 : 200);
  const client = clientOf(drill, supervisor.origin);
  const [animals, orders] = [
    await readAll(client, key, '/v1/pets'),
    await readAll(client, key, '/v1/store/orders'),
  ];
  drill.figure('embedded', `${goal} kills`);
  judge(drill, 'embedded', { writers, proxy, animals, orders });
}

async function startWriters(drill, origin, key) {
  const proxy = await startCuttingProxy(drill, origin, CUT);
  return { proxy, writers: new RepeatingWriters(clientOf(drill, proxy.origin), key, WRITERS) };
}

function clientOf(drill, origin) {
  const client = new RawClient(origin, { connections: WRITERS });
  drill.defer(() => client.close());
  return client;
}

async function readAll(client, key, path) {
  const items = [];
  for (let after = ''; ; after = `&after=${items.at(-1).id}`) {
    const { status, body } = await client.ask(requestText('GET', `${path}?limit=100${after}`, { key }));
    if (status !== 200) throw new Error(`Reading ${path} failed: ${status} ${body}`);
    const page = JSON.parse(body);
    items.push(...page);
    if (page.length < 100) return items;
  }
}

function judge(drill, where, { writers, proxy, animals, orders }) {
  const { acknowledged, repeated, replayed, compared } = writers.counts;
  const number = (count) => count.toLocaleString('en');
  drill.figure(
    where,
    `${number(acknowledged)} acknowledged, ${number(repeated)} repetitions until then, ${number(replayed)} × the first answer, ${number(compared)} compared, ${number(proxy.cuts)} connections cut`,
  );
  const stored = groupByName(animals);
  const wrongId = [...writers.animals].filter(
    ([name, id]) => !stored.get(name)?.some((one) => one.id === id),
  );
  const twice = [...stored.values()].filter((same) => same.length > 1);
  const strangers = [...stored.keys()].filter((name) => !writers.animals.has(name));
  const storedOrders = new Set(orders.map(({ id }) => id));
  const wrongOrders = orders.filter(({ id, quantity }) => writers.orders.get(id) !== quantity);
  const faults = {
    'animals lost': wrongId.length,
    'animals doubled': twice.length,
    'animals that nobody was told of': strangers.length,
    'orders lost': [...writers.orders.keys()].filter((id) => !storedOrders.has(id)).length,
    'orders doubled or wrong': wrongOrders.length,
    'repetitions answered differently': writers.different.length,
  };
  for (const [what, count] of Object.entries(faults)) drill.expect(`${where}: ${count} ${what}`, count === 0);
  drill.expect(`${where}: no other answers (${tally(writers.wrong)})`, writers.wrong.length === 0);
}

function groupByName(animals) {
  const groups = new Map();
  for (const animal of animals) groups.set(animal.name, [...(groups.get(animal.name) ?? []), animal]);
  return groups;
}
