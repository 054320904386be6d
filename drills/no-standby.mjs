import { setTimeout as delay } from 'node:timers/promises';
import { refusedProperly, slowest, succeeded, tally } from './support/answers.mjs';
import { query } from './support/postgres.mjs';
import { RawClient } from './support/raw-client.mjs';
import { healthOf, startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { mixedRequests, SteadyLoad } from './support/steady-load.mjs';

export const title = 'without a synchronous standby writes are refused, and reads go on';
export const hasShortForm = true;

const PER_SECOND = 50;
const ANSWER_MS = 1_000;
const BACK_MS = 2_000;
/** Two of the queue of writes, and two of TypeORM's pool, which records the uses of keys. */
const MOST_WAITING = 4;
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

export async function run(drill) {
  const ms = drill.short ? 8_000 : 20_000;
  const { cluster, settings, key } = await setUp(drill, { max_connections: 16 });
  const service = await startService(drill, settings);
  const client = new RawClient(service.origin, { connections: 100, timeoutMs: 10_000 });
  drill.defer(() => client.close());
  const request = mixedRequests(key);
  for (let i = 0; i < 20; i++) await client.ask(request(i));

  drill.progress(`no synchronous standby for ${ms / 1_000} s, ${PER_SECOND} requests/s`);
  await configure(cluster.url, "SET synchronous_standby_names = 'missing'");
  const load = new SteadyLoad(client, PER_SECOND, request);
  const waiting = [];
  const health = [];
  for (const end = performance.now() + ms; performance.now() < end; await delay(500)) {
    const rows = await query(cluster.url, WAITING).catch(() => [{ waiting: Infinity }]);
    waiting.push(rows[0].waiting);
    health.push(await healthOf(service.origin, 'ready'));
  }
  const outcomes = await load.finish();
  await configure(cluster.url, 'RESET synchronous_standby_names');
  const backMs = await backToNormal(client, request);

  const wrong = outcomes.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome));
  const reads = outcomes.filter(({ status }) => status === 200).length;
  const expected = Math.floor(outcomes.length * 0.7);
  drill.figure('requests', `${tally(outcomes)}; slowest ${slowest(outcomes).toFixed(0)} ms`);
  drill.figure('server processes that wait for the standby', `at most ${Math.max(...waiting)}`);
  drill.figure('recovery', `${(backMs / 1_000).toFixed(2)} s`);
  drill.expect(`every read succeeds (${reads} of ${expected})`, reads >= expected);
  drill.expect(`every other answer is a proper 503 (others: ${tally(wrong)})`, wrong.length === 0);
  drill.expect('no create succeeds', !outcomes.some(({ status }) => status === 201));
  drill.expect(`each answer within ${ANSWER_MS / 1_000} s`, slowest(outcomes) <= ANSWER_MS);
  drill.expect(`at most ${MOST_WAITING} server processes wait`, Math.max(...waiting) <= MOST_WAITING);
  drill.expect(
    `the service stays ready (${[...new Set(health)].join(', ')})`,
    health.every((status) => status === 200),
  );
  drill.expect(`normal within ${BACK_MS / 1_000} s after`, backMs <= BACK_MS);
}

async function configure(url, change) {
  await query(url, `ALTER SYSTEM ${change}`);
  await query(url, 'SELECT pg_reload_conf()');
}

/** The time until a read and a create succeed; Infinity if they never do. */
async function backToNormal(client, request) {
  const started = performance.now();
  for (; performance.now() - started < 10_000; await delay(20)) {
    const outcomes = await Promise.all([client.ask(request(0)), client.ask(request(9))]);
    if (outcomes.every(succeeded)) return performance.now() - started;
  }
  return Infinity;
}
