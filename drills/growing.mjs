import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CITUS_SETTINGS, letConnect } from '../scripts/support/citus-cluster.mjs';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { startCluster, startStandby } from '../scripts/support/postgres-cluster.mjs';
import { root } from '../scripts/support/root.mjs';
import { latencies, refusedProperly, succeeded, tally } from './support/answers.mjs';
import { query, withClient } from './support/postgres.mjs';
import { RawClient } from './support/raw-client.mjs';
import { issueKeys } from './support/service.mjs';
import { mixedRequests, SteadyLoad } from './support/steady-load.mjs';
import { startReplicas } from './support/two-replicas.mjs';

export const title = 'the ways of docs/growing.md, under load: to standbys, to partitions, to Citus';

const PER_SECOND = 100;
const ROWS = 200_000;
const AFTERWARDS_MS = 3_000;
const PASSWORD = 'only-for-this-drill';

export async function run(drill) {
  if (process.env.DATABASE_DISTRIBUTION !== 'citus')
    throw new Error('It needs the extension: npm run with-citus -- npm run drill -- growing');
  const small = await deploy(drill);
  await toStandbys(drill, small);
  await toPartitions(drill, small);
  for (const replica of small.replicas) await replica.service.stop();
  await toCitus(drill, await deploy(drill));
}

/** One server, and two replicas behind HAProxy. */
async function deploy(drill) {
  drill.progress('starting PostgreSQL');
  const server = await startCluster(postgresBinaries(), { max_connections: 200 }, PASSWORD);
  drill.defer(server.stop);
  const settings = { DATABASE_URL: server.url, DATABASE_DISTRIBUTION: '', KEY_ENVIRONMENT: 'test' };
  const [key] = await issueKeys(settings, 1);
  const deployment = await startReplicas(drill, settings);
  drill.progress(`adding ${ROWS.toLocaleString('en')} animals`);
  await query(
    server.url,
    "INSERT INTO pets (name, category_id, status) SELECT 'animal', i, 'available' FROM generate_series(1, $1::int) AS i",
    [ROWS],
  );
  return { ...deployment, server, key };
}

async function toStandbys(drill, deployment) {
  const { server, replicas, end, begin } = deployment;
  const outcomes = await underLoad(drill, deployment, async () => {
    const standby = await startStandby(postgresBinaries(), server);
    drill.defer(standby.stop);
    for (const replica of replicas) {
      await end(replica);
      await begin(replica, { DATABASE_STANDBY_URLS: standby.url });
    }
  });
  judge(drill, 'to standbys', outcomes);
}

async function toPartitions(drill, deployment) {
  const { url } = deployment.server;
  const outcomes = await underLoad(drill, deployment, () =>
    withClient(url, async (client) => {
      for (const sql of blocksOf('Partitions')) await client.query(sql);
    }),
  );
  judge(drill, 'to partitions', outcomes);
  const [{ count }] = await query(
    url,
    "SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'pets'::regclass",
  );
  drill.expect(`pets has ${count} partitions`, count === 2);
}

async function toCitus(drill, deployment) {
  const { server, replicas, end, begin } = deployment;
  const start = () => startCluster(postgresBinaries(), CITUS_SETTINGS, PASSWORD);
  const workers = await Promise.all([start(), start()]);
  for (const { stop } of workers) drill.defer(stop);
  const outcomes = await underLoad(drill, deployment, async () => {
    const lines = Object.entries(CITUS_SETTINGS).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(server.data, 'postgresql.conf'), lines.join(''));
    letConnect([server, ...workers]);
    await server.pgCtl('restart', '-m', 'fast');
    const [onEach, onCoordinator, freeing] = blocksOf('Citus');
    for (const { url } of [server, ...workers]) await query(url, onEach);
    await query(server.url, addressed(onCoordinator, [server, ...workers]));
    for (const replica of replicas) await end(replica);
    const settings = {
      DATABASE_DISTRIBUTION: 'citus',
      DATABASE_STANDBY_URLS: workers.map(({ url }) => url).join(','),
    };
    for (const replica of replicas) await begin(replica, settings);
    await query(server.url, freeing);
  });
  judge(drill, 'to Citus', outcomes, { mayRefuse: true });
  const ids = outcomes.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).id);
  const stored = await query(server.url, 'SELECT FROM pets WHERE id = ANY ($1)', [ids]);
  drill.expect(`${ids.length} acknowledged, ${stored.length} of them stored`, stored.length === ids.length);
}

/** The SQL below a heading of the page. */
function blocksOf(heading) {
  const page = readFileSync(join(root, 'docs/growing.md'), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own] = section.split('\n## ');
  return [...own.matchAll(/```sql\n(.+?)```/gs)].map(([, sql]) => sql);
}

/** With the addresses of these nodes. */
function addressed(sql, nodes) {
  const hosts = ["'10.0.0.4'", "'10.0.0.5'", "'10.0.0.6'"];
  return hosts.reduce(
    (text, host, i) => text.replaceAll(`${host}, 5432`, `'127.0.0.1', ${new URL(nodes[i].url).port}`),
    sql,
  );
}

async function underLoad(drill, { origin, key }, change) {
  const client = new RawClient(origin, { connections: 32 });
  const load = new SteadyLoad(client, PER_SECOND, mixedRequests(key));
  drill.defer(() => load.stop());
  await change();
  await delay(AFTERWARDS_MS);
  const outcomes = await load.finish();
  client.close();
  return outcomes;
}

function judge(drill, way, outcomes, { mayRefuse = false } = {}) {
  drill.figure(way, `${tally(outcomes)}; ${latencies(outcomes.filter(succeeded))}`);
  const failed = outcomes.filter((one) => !succeeded(one) && !(mayRefuse && refusedProperly(one)));
  drill.expect(
    `${way}: ${mayRefuse ? 'requests succeed or are refused' : 'every request succeeds'} (${tally(failed)})`,
    outcomes.length > 0 && failed.length === 0,
  );
}
