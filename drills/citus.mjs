import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { refusedProperly, slowest, succeeded, tally } from './support/answers.mjs';
import { AnimalJournal } from './support/animal-journal.mjs';
import { AnimalWriters } from './support/animal-writers.mjs';
import { compareAnimals } from './support/compare-animals.mjs';
import { accepting, freeze, query, withClient } from './support/postgres.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { mixedRequests, SteadyLoad } from './support/steady-load.mjs';

export const title =
  'workers of a Citus cluster are killed, also between the phases of a commit, frozen, added';
export const hasShortForm = process.env.DATABASE_DISTRIBUTION === 'citus';

const AWAY_MS = 1_000;
const VISIBLE_MS = 1_000;
const ANSWER_MS = 1_000;
const SLACK_MS = 100; // of a busy machine
/** Readiness is checked at most once a second. */
const EVERY_MS = 1_100;
const REBALANCE_MS = 120_000;

export async function run(drill) {
  if (process.env.DATABASE_DISTRIBUTION !== 'citus')
    throw new Error('It needs a cluster: npm run with-citus -- npm run drill -- citus');
  const rounds = drill.short ? 1 : 8;
  const { cluster, settings, key } = await setUp(drill);
  const service = await startService(drill, settings);
  const client = new RawClient(service.origin, { connections: 256 }); // none waits for another
  drill.defer(() => client.close());
  await hurt(drill, { cluster, service, client, key, rounds });
  await grow(drill, { cluster, client, key });
}

async function hurt(drill, { cluster, service, client, key, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'citus-drill-'));
  const journal = new AnimalJournal(folder);
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const writers = [
    new AnimalWriters(client, key, journal, 8, { prefix: 'plain' }),
    new AnimalWriters(client, key, journal, 8, { prefix: 'keyed', keyed: true }),
  ];
  const reads = new SteadyLoad(client, 100, readsOf(key, writers));
  const seen = { visible: [], prepared: 0, unnamed: [] };
  await delay(1_000);
  for (let round = 0; round < rounds; round++) {
    for (const [name, fault] of Object.entries({ kill, killPrepared, suspend })) {
      const worker = cluster.nodes[1 + (round % 2)];
      await nextBlock(cluster);
      drill.progress(`round ${round + 1} of ${rounds}: ${name}`);
      const backAt = await fault({ drill, cluster, worker, seen }, () => readiness(service, worker, seen));
      seen.visible.push((await allVisible(cluster, writers)) - backAt);
      await delay(500);
    }
  }
  await Promise.all(writers.map((some) => some.stop()));
  const answers = await reads.finish();
  await judge(drill, { cluster, journal, writers, answers, seen });
  journal.close();
}

/** Pages, and single animals, of all blocks. */
function readsOf(key, writers) {
  return (i) => {
    const { ids } = writers[i % 2];
    const id = ids[Math.floor(Math.random() * ids.length)] ?? 1;
    return requestText('GET', i % 3 ? `/v1/pets/${id}` : `/v1/pets?limit=10&after=${id}`, { key });
  };
}

/** The next animals lie in another block, and so perhaps on the other worker. */
const nextBlock = ({ url }) => query(url, "SELECT setval('pets_id_seq', last_value + 4096) FROM pets_id_seq");

async function kill({ worker }, whileAway) {
  await worker.pgCtl('stop', '-m', 'immediate');
  return restart({ worker }, whileAway);
}

/** While it holds transactions that are prepared and not committed: the coordinator is slow to commit its part. */
async function killPrepared({ cluster, worker, seen }, whileAway) {
  const postmaster = Number(readFileSync(join(worker.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  await delayCommits(cluster, true);
  await withClient(worker.url, async (client) => {
    for (let prepared = 0; prepared === 0;)
      prepared = (await client.query('SELECT FROM pg_prepared_xacts')).rowCount;
    process.kill(postmaster, 'SIGQUIT'); // an immediate stop
  }).catch(() => {}); // its connection breaks
  await worker.pgCtl('stop', '-m', 'immediate').catch(() => {}); // waits for the end
  await delayCommits(cluster, false);
  return restart({ worker }, whileAway, async () => {
    const [{ count }] = await query(worker.url, 'SELECT count(*)::int FROM pg_prepared_xacts');
    seen.prepared += count;
  });
}

function delayCommits({ nodes: [{ url }] }, isOn) {
  return withClient(url, async (client) => {
    for (const [name, value] of Object.entries({ commit_delay: 50_000, commit_siblings: 0 }))
      await client.query(isOn ? `ALTER SYSTEM SET ${name} = ${value}` : `ALTER SYSTEM RESET ${name}`);
    await client.query('SELECT pg_reload_conf()');
  });
}

async function restart({ worker }, whileAway, asItIs) {
  await delay(AWAY_MS / 2);
  await whileAway();
  await delay(AWAY_MS / 2);
  await worker.pgCtl('start');
  const backAt = await accepting(worker.url);
  await asItIs?.();
  return backAt;
}

async function suspend({ drill, worker }, whileAway) {
  const thaw = freeze(drill, worker);
  await delay(AWAY_MS / 2);
  await whileAway();
  await delay(AWAY_MS / 2);
  thaw();
  return performance.now();
}

/** Must name the worker that is away, at the latest at the second time. */
async function readiness(service, worker, seen) {
  const answers = [];
  for (let i = 0; i < 2; i++) {
    const begun = performance.now();
    const answer = await fetch(`${service.origin}/health/ready`);
    answers.push({ status: answer.status, text: await answer.text(), ms: performance.now() - begun });
    await delay(EVERY_MS);
  }
  const { status, text } = answers.at(-1);
  const isNamed = status === 200 && text.includes(`127.0.0.1:${new URL(worker.url).port}`);
  if (!isNamed || slowest(answers) > ANSWER_MS + SLACK_MS) seen.unnamed.push(`${status} ${text}`);
}

/** Resolves with the time at which all animals are visible that are acknowledged by now. */
async function allVisible({ url }, writers) {
  const ids = writers.flatMap((some) => some.ids);
  for (; ; await delay(10)) {
    const [{ count }] = await query(url, 'SELECT count(*)::int FROM pets WHERE id = ANY ($1)', [ids]).catch(
      () => [{ count: -1 }],
    );
    if (count === ids.length) return performance.now();
  }
}

async function judge(drill, { cluster, journal, writers, answers, seen }) {
  const { acknowledged = 0, refused = 0, unknown = 0 } = journal.counts;
  drill.figure(
    'creates',
    `${acknowledged} acknowledged, ${refused} refused, ${unknown} with unknown outcome`,
  );
  drill.figure('reads', tally(answers));
  drill.figure('prepared transactions after kills', seen.prepared);
  const latest = Math.max(...seen.visible);
  const slow = Math.max(slowest(answers), ...writers.map((some) => some.slowest));
  const wrong = writers.flatMap((some) => some.wrong);
  const others = answers.filter((one) => !succeeded(one) && one.status !== 404 && !refusedProperly(one));
  drill.expect(`some kills are between the phases (${seen.prepared} transactions)`, seen.prepared > 0);
  drill.expect(
    `all acknowledged visible ${latest.toFixed(0)} ms after the worker is back`,
    latest <= VISIBLE_MS,
  );
  drill.expect(`slowest answer ${slow.toFixed(0)} ms`, slow <= ANSWER_MS + SLACK_MS);
  drill.expect(`no other answers (${tally([...wrong, ...others])})`, wrong.length + others.length === 0);
  drill.expect(`readiness names the worker (${seen.unnamed[0] ?? 'always'})`, seen.unnamed.length === 0);
  const animals = await query(
    cluster.url,
    'SELECT id::text, name, category_id::text AS "categoryId", status FROM pets ORDER BY id',
  );
  for (const [what, count] of Object.entries(await compareAnimals(journal, animals)))
    drill.expect(`${count} ${what}`, count === 0);
}

/** Adds a worker and moves shards to it under load. */
async function grow(drill, { cluster, client, key }) {
  drill.progress('adding a worker and moving shards to it');
  const load = new SteadyLoad(client, 100, mixedRequests(key));
  await cluster.addWorker();
  await query(cluster.url, "SELECT citus_rebalance_start(shard_transfer_mode := 'force_logical')");
  const state = async () =>
    (await query(cluster.url, 'SELECT state FROM citus_rebalance_status()'))[0]?.state;
  for (const end = performance.now() + REBALANCE_MS; performance.now() < end; await delay(250))
    if (!['scheduled', 'running'].includes(await state())) break;
  const ended = await state();
  const outcomes = await load.finish();
  const shards = await query(
    cluster.url,
    'SELECT nodeport, count(*)::int FROM citus_shards WHERE table_name = $1::regclass GROUP BY 1 ORDER BY 1',
    ['pets'],
  );
  drill.figure('shards of pets by worker', shards.map(({ count }) => count).join(', '));
  drill.figure('while moving', `${tally(outcomes)}, slowest ${slowest(outcomes).toFixed(0)} ms`);
  drill.expect(`the shards are moved (${ended})`, ended === 'finished' && shards.length === 3);
  drill.expect('no request fails meanwhile', outcomes.length > 0 && outcomes.every(succeeded));
}
