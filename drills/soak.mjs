import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { isErrorBody, succeeded, tally } from './support/answers.mjs';
import { randomKey } from './support/keys.mjs';
import { query } from './support/postgres.mjs';
import { openFiles, residentMiB } from './support/process-figures.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { slope } from './support/statistics.mjs';

export const title = 'a million valid and invalid requests leak no memory, files or connections';
export const hasShortForm = true;

const CONNECTIONS = 32;
const STEPS = 20;
const REX = '{"name":"Rex","categoryId":1}';
/** The heap grows until caches are full and the code is compiled. */
const WARM_UP_STEPS = 4;
const MIB_PER_MILLION = 2;
/** The short form has too few requests for a slope: one compiled function would exceed it. */
const SHORT_MIB = 2;
/** Tolerance for connections and files that are in use at the moment of measuring. */
const PLAY = 4;

export async function run(drill) {
  const asked = drill.args.find((arg) => /^\d+$/.test(arg));
  const total = Number(asked ?? (drill.short ? 20_000 : 1_000_000));
  const { cluster, settings, key } = await setUp(drill);
  const preload = pathToFileURL(join(import.meta.dirname, 'support', 'report-heap.mjs')).href;
  const service = await startService(drill, settings, { node: ['--expose-gc', '--import', preload] });
  const client = new RawClient(service.origin, { connections: CONNECTIONS });
  drill.defer(() => client.close());

  const kinds = requestKinds(key);
  await client.ask(requestText('POST', '/v1/pets', { key, body: REX })); // for the requests by id
  const samples = [];
  const wrong = [];
  const started = performance.now();
  for (let step = 1; step <= STEPS; step++) {
    await sendAll(client, kinds, total / STEPS, wrong);
    await delay(200); // lets in-flight work finish
    const sample = { requests: (step * total) / STEPS, ...(await measure(service, cluster.url)) };
    samples.push(sample);
    if (step % (drill.short ? 5 : 1) === 0) tellSample(drill, sample);
  }
  const perSecond = total / ((performance.now() - started) / 1_000);
  drill.figure(
    'requests',
    `${total.toLocaleString('en')} of ${kinds.length} kinds, ${perSecond.toFixed(0)} a second`,
  );
  judge(drill, samples.slice(WARM_UP_STEPS), wrong);
}

/** Requests with their expected status. More than half are refused, each for a different reason. */
function requestKinds(key) {
  const post = (body, options) => requestText('POST', '/v1/pets', { key, body, ...options });
  return [
    [200, () => requestText('GET', '/v1/pets?limit=10', { key })],
    [200, () => requestText('GET', '/v1/pets?limit=5&status=sold&after=3', { key })],
    [200, () => requestText('GET', '/v1/pets/1', { key })],
    [200, () => requestText('GET', '/health/ready')],
    [201, () => post(REX)],
    [400, () => post('{"name":"Rex"}')],
    [400, () => post('{"name":')],
    [400, () => requestText('GET', '/v1/pets?limit=0', { key })],
    [401, () => requestText('GET', '/v1/pets', { key: randomKey() })],
    [401, () => requestText('GET', '/v1/pets')],
    [404, () => requestText('GET', `/v1/pets/-${Date.now()}`, { key })],
    [404, () => requestText('GET', `/nowhere/${Math.random()}`)],
    [405, () => requestText('DELETE', '/v1/pets', { key })],
    [415, () => post(REX, { type: 'text/plain' })],
  ];
}

async function sendAll(client, kinds, count, wrong) {
  let sent = 0;
  const ask = async () => {
    while (sent < count) {
      const [expected, request] = kinds[sent++ % kinds.length];
      const outcome = await client.ask(request());
      const right =
        outcome.status === expected && (succeeded(outcome) || isErrorBody(outcome.body, expected));
      if (!right) wrong.push({ why: `${outcome.why ?? outcome.status} instead of ${expected}` });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
}

async function measure({ pid, child }, url) {
  const answer = once(child, 'message');
  child.send('heap');
  const [{ heapUsed }] = await answer;
  const [{ count }] = await query(
    url,
    `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'animal-store'`,
  );
  return {
    heapMiB: heapUsed / 2 ** 20,
    files: openFiles(pid),
    connections: count,
    residentMiB: residentMiB(pid),
  };
}

function tellSample(drill, { requests, heapMiB, files, connections }) {
  drill.progress(
    `${requests.toLocaleString('en')} requests: heap ${heapMiB.toFixed(2)} MiB, ${files} files, ${connections} connections to PostgreSQL`,
  );
}

function judge(drill, samples, wrong) {
  const [first, last] = [samples[0], samples.at(-1)];
  const perMillion = slope(samples.map(({ requests, heapMiB }) => [requests / 1e6, heapMiB]));
  const grown = last.heapMiB - first.heapMiB;
  drill.figure('heap after major GC', `${first.heapMiB.toFixed(2)} MiB, then ${last.heapMiB.toFixed(2)} MiB`);
  drill.figure('heap slope', `${perMillion.toFixed(2)} MiB per million requests, without the warm-up`);
  drill.figure('resident', `${first.residentMiB} MiB, then ${last.residentMiB} MiB`);
  for (const [name, figure] of [
    ['open files', 'files'],
    ['connections to PostgreSQL', 'connections'],
  ]) {
    drill.figure(name, `${first[figure]}, then ${last[figure]}`);
    drill.expect(`${name}: no more than before`, last[figure] > 0 && last[figure] <= first[figure] + PLAY);
  }
  if (drill.short) drill.expect(`the heap grows by at most ${SHORT_MIB} MiB`, grown <= SHORT_MIB);
  else
    drill.expect(
      `the heap grows by at most ${MIB_PER_MILLION} MiB per million requests`,
      perMillion <= MIB_PER_MILLION,
    );
  drill.expect(`every request gets the expected answer (others: ${tally(wrong)})`, wrong.length === 0);
}
