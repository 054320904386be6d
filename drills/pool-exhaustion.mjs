import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { latencies, refusedProperly, slowest, succeeded, tally } from './support/answers.mjs';
import { childrenOf, watchMemory } from './support/process-figures.mjs';
import { RawClient } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { mixedRequests } from './support/steady-load.mjs';

export const title = 'clients do not hang on a locked table or a server without free connections';
export const hasShortForm = true;

const CONCURRENT = 500;
const ANSWER_MS = 1_000;
const HANG_MS = 10_000;
const BACK_MS = 2_000;
/** Of each process that serves. */
const MEMORY_MIB = 200;

export async function run(drill) {
  const ms = drill.short ? 3_000 : 10_000;
  const { cluster, settings, key } = await setUp(drill);
  const service = await startService(drill, settings);
  const memory = watchMemory(drill, service.pid);
  const client = new RawClient(service.origin, { connections: CONCURRENT, timeoutMs: HANG_MS });
  drill.defer(() => client.close());
  const request = mixedRequests(key);
  const wave = () => Promise.all(Array.from({ length: CONCURRENT }, (_, i) => client.ask(request(i))));

  drill.progress(`opening connections with ${CONCURRENT} concurrent requests`);
  await wave();
  for (const { name, obstruct } of OBSTRUCTIONS) {
    drill.progress(`${name} for ${ms / 1_000} s: waves of ${CONCURRENT} concurrent requests`);
    const release = await obstruct(drill, cluster.url);
    const outcomes = [];
    for (const end = performance.now() + ms; performance.now() < end;) outcomes.push(...(await wave()));
    await release();
    const backMs = await backToNormal(client, request);
    judge(drill, name, outcomes, backMs);
  }
  drill.figure('memory of the service', `${memory.first} MiB before, ${memory.most()} MiB at most`);
  const growth = MEMORY_MIB * Math.max(1, childrenOf(service.pid).length);
  drill.expect(`its memory grows by less than ${growth} MiB`, memory.most() - memory.first < growth);
  drill.expect('the service did not restart', service.running());
}

const OBSTRUCTIONS = [
  { name: 'table locked', obstruct: lockTable },
  { name: 'no free connection', obstruct: takeEveryConnection },
];

async function lockTable(drill, url) {
  const client = await connected(drill, url);
  await client.query('BEGIN');
  await client.query('LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
  return () => client.end();
}

/** Terminates the service's connections and takes all free ones, until the service has none. */
async function takeEveryConnection(drill, url) {
  const taken = [];
  for (let attempt = 1; attempt <= 100; attempt++) {
    try {
      for (;;) taken.push(await connected(drill, url));
    } catch (error) {
      if (error.code !== '53300') throw error;
    }
    const cutOff = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'`;
    const { rowCount } = await taken[0].query(cutOff);
    if (rowCount === 0) return () => Promise.all(taken.map((client) => client.end()));
    await delay(50);
  }
  throw new Error('The service still had connections after 100 attempts to take them.');
}

async function connected(drill, url) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  drill.defer(() => client.end());
  return client;
}

/** The time until reads and creates succeed ten times in a row; Infinity if they never do. */
async function backToNormal(client, request) {
  const started = performance.now();
  for (let successes = 0; successes < 10;) {
    const at = performance.now();
    if (at - started > HANG_MS) return Infinity;
    const outcomes = await Promise.all([client.ask(request(0)), client.ask(request(9))]);
    successes = outcomes.every(succeeded) ? successes + 1 : 0;
    if (successes === 0) await delay(20);
  }
  return performance.now() - started;
}

function judge(drill, name, outcomes, backMs) {
  const hanging = outcomes.filter(({ status }) => status === 0);
  const wrong = outcomes.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome));
  const late = outcomes.filter(({ ms }) => ms > ANSWER_MS);
  drill.figure(
    name,
    `${tally(outcomes)}; ${latencies(outcomes)}; normal ${(backMs / 1_000).toFixed(2)} s after`,
  );
  drill.expect(`${name}: no request hangs (${tally(hanging)})`, hanging.length === 0);
  drill.expect(`${name}: each is a success or a proper 503 (others: ${tally(wrong)})`, wrong.length === 0);
  drill.expect(
    `${name}: some requests get 503`,
    outcomes.some(({ status }) => status === 503),
  );
  drill.expect(
    `${name}: each answer within ${ANSWER_MS / 1_000} s (late: ${tally(late)}, at most ${slowest(outcomes).toFixed(0)} ms)`,
    late.length === 0,
  );
  drill.expect(`${name}: normal within ${BACK_MS / 1_000} s after`, backMs <= BACK_MS);
}
