import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { startStandby } from '../scripts/support/postgres-cluster.mjs';
import { failed, latencies, refusedProperly, slowest, succeeded, tally } from './support/answers.mjs';
import { FollowedWriters } from './support/followed-writers.mjs';
import { freeze, query } from './support/postgres.mjs';
import { RawClient } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';

export const title = 'reads at standbys see every acknowledged change, whatever freezes, lags or dies';
export const hasShortForm = true;

const WRITERS = 8;
const ANSWER_MS = 1_000;
/** For a standby that is well again to answer reads again. */
const BACK_MS = 10_000;
/** For the service to notice that the primary is back. */
const RECOVERY_MS = 3_000;

export async function run(drill) {
  const goal = drill.short ? 2_000 : 20_000;
  const faultMs = drill.short ? 1_500 : 3_000;
  const { cluster: primary, settings, key } = await setUp(drill);
  const standbys = [await follower(drill, primary), await follower(drill, primary)];
  const replicas = [];
  for (let i = 0; i < 2; i++)
    replicas.push(
      await replica(drill, { ...settings, DATABASE_STANDBY_URLS: standbys.map(({ url }) => url).join() }),
    );
  await bothUp(replicas, standbys);

  const clients = replicas.map(({ origin }) => new RawClient(origin, { connections: 100 }));
  for (const client of clients) drill.defer(() => client.close());
  const [a, b] = clients;
  const writers = new FollowedWriters(
    [
      [a, b],
      [b, a],
    ],
    key,
    WRITERS / 2,
  );
  drill.defer(() => writers.stop());

  const primaryAway = [];
  const all = faults(drill, primary, standbys, faultMs);
  for (const [i, { name, hitsPrimary, inflict }] of all.entries()) {
    const share = ((i + 0.5) / all.length) * goal;
    while (writers.acknowledged.length < share) await delay(20);
    drill.progress(`${writers.acknowledged.length} acknowledged; ${name}`);
    const from = performance.now();
    await inflict();
    if (hitsPrimary) primaryAway.push({ from, to: performance.now() + RECOVERY_MS });
    const ms = await bothUp(replicas, standbys);
    drill.expect(`after ${name} both standbys answer again within ${BACK_MS / 1_000} s`, ms <= BACK_MS);
  }
  while (writers.acknowledged.length < goal) await delay(20);
  await promote(drill, { standbys, replicas, writers });
  await writers.stop();
  await judge(drill, { primary, replicas, standbys, writers, goal, primaryAway });
}

async function follower(drill, primary) {
  drill.progress('starting a standby');
  const standby = await startStandby(postgresBinaries(), primary);
  drill.defer(standby.stop);
  return { ...standby, name: new URL(standby.url).host };
}

async function replica(drill, settings) {
  const metrics = await freePort();
  const { origin } = await startService(drill, { ...settings, METRICS_PORT: String(metrics) });
  const value = async (sample) => {
    const answer = await fetch(`http://127.0.0.1:${metrics}/metrics`, { headers: { connection: 'close' } });
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1));
  };
  return { origin, value };
}

/** Resolves to the time until both replicas send reads to these standbys. */
async function bothUp(replicas, standbys) {
  const started = performance.now();
  for (; performance.now() - started < 3 * BACK_MS; await delay(50)) {
    const states = replicas.flatMap(({ value }) =>
      standbys.map(({ name }) => value(`database_standby_up{standby="${name}"}`)),
    );
    if ((await Promise.all(states)).every((up) => up === 1)) return performance.now() - started;
  }
  return Infinity;
}

function faults(drill, primary, standbys, ms) {
  const frozen = (servers) => async () => {
    const thaws = servers.map((server) => freeze(drill, server));
    await delay(ms);
    for (const thaw of thaws) thaw();
  };
  const killed = (servers) => async () => {
    for (const { pgCtl } of servers) await pgCtl('stop', '-m', 'immediate');
    await delay(ms);
    for (const { pgCtl } of servers) await pgCtl('start');
  };
  const paused = async () => {
    for (const { url } of standbys) await query(url, 'SELECT pg_wal_replay_pause()');
    await delay(ms);
    for (const { url } of standbys) await query(url, 'SELECT pg_wal_replay_resume()');
  };
  const [first, second] = standbys;
  return [
    { name: 'one standby frozen', inflict: frozen([first]) },
    { name: 'the other standby killed', inflict: killed([second]) },
    { name: 'the replay of both paused', inflict: paused },
    { name: 'both standbys killed', inflict: killed(standbys) },
    { name: 'both standbys frozen', inflict: frozen(standbys) },
    { name: 'the primary frozen', inflict: frozen([primary]), hitsPrimary: true },
    { name: 'the primary killed', inflict: killed([primary]), hitsPrimary: true },
  ];
}

/** A standby that becomes a primary of its own, with animals of its own. */
async function promote(drill, { standbys: [first], replicas, writers }) {
  drill.progress(`${writers.acknowledged.length} acknowledged; one standby promoted`);
  await first.pgCtl('promote');
  await query(
    first.url,
    "INSERT INTO pets (name, category_id) SELECT 'elsewhere', 1 FROM generate_series(1, 1000)",
  );
  await delay(1_000);
  const states = await Promise.all(
    replicas.map(({ value }) => value(`database_standby_up{standby="${first.name}"}`)),
  );
  drill.expect(
    'the promoted standby is left out within 1 s',
    states.every((up) => up === 0),
  );
}

async function judge(drill, { primary, replicas, standbys, writers, goal, primaryAway }) {
  const { acknowledged, outcomes, stale, walks } = writers;
  const stored = new Set((await query(primary.url, 'SELECT id::int FROM pets')).map(({ id }) => id));
  const lost = acknowledged.filter((id) => !stored.has(id)).length;
  const every = [...outcomes.creates, ...outcomes.reads];
  const wrong = every.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome));
  const isAway = ({ since, at }) => primaryAway.some(({ from, to }) => at >= from && since <= to);
  const refused = every.filter((outcome) => outcome.status === 503 && failed(outcome) && !isAway(outcome));
  for (const { name } of standbys) {
    const counts = replicas.map(({ value }) => value(`database_standby_reads_total{standby="${name}"}`));
    drill.figure(`reads of the standby ${name}, by replica`, (await Promise.all(counts)).join(', '));
  }
  const helped = replicas.map(({ value }) => value('database_standby_fallbacks_total'));
  drill.figure('reads of the primary in their place', (await Promise.all(helped)).join(', '));
  drill.figure('creates', `${tally(outcomes.creates)}; ${latencies(outcomes.creates)}`);
  drill.figure('reads', `${tally(outcomes.reads)}; ${latencies(outcomes.reads)}`);
  drill.figure('walks', walks.complete);
  drill.expect(`${goal} creates (${acknowledged.length})`, acknowledged.length >= goal);
  drill.expect(`0 stale reads (${stale.length})`, stale.length === 0);
  drill.expect(`0 lost (${lost})`, lost === 0);
  drill.expect(
    `every walk is exact (${walks.wrong.join('; ') || 'all'})`,
    walks.complete > 0 && walks.wrong.length === 0,
  );
  drill.expect(
    `each answer within ${ANSWER_MS / 1_000} s (${slowest(every).toFixed(0)} ms)`,
    slowest(every) <= ANSWER_MS,
  );
  drill.expect(`no other answers (${tally(wrong)})`, wrong.length === 0);
  const reasons = new Set(refused.map(({ body }) => JSON.parse(body).message));
  drill.expect(
    `503 only while the primary is away (${refused.length} others: ${[...reasons].join(' ')})`,
    refused.length === 0,
  );
}
