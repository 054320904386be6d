import { setTimeout as delay } from 'node:timers/promises';
import { bearer, httpClient } from './support/http.mjs';
import { startPostgres } from './support/postgres.mjs';
import { watchMemory } from './support/process-figures.mjs';
import { requestText } from './support/raw-client.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { trickle } from './support/trickle.mjs';

export const title =
  'clients that pipeline pages and read them slowly, on a small heap, without hurting anybody else';
export const hasShortForm = true;

const HEAP_MIB = 512;
const CONNECTIONS = { long: 250, short: 100 };
const PIPELINED = 100;
/** Slow enough to stay below the limit of overload. */
const APART_MS = 20;
const ATTACK_S = { long: 60, short: 3 };
const AT_MOST_MIB = { long: 700, short: 300 };
/** The short form runs on busy machines. */
const LIVE_MS = { long: 1_000, short: 5_000 };
const SUCCEED = { long: 1, short: 0.9 };
const EVERY_MS = 50;

export async function run(drill) {
  const form = drill.short ? 'short' : 'long';
  const connections = CONNECTIONS[form];
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test', RATE_LIMIT_PER_KEY: '60000' };
  const [attacker, neighbour] = await issueKeys(settings, 2);
  const service = await startService(drill, settings, { node: [`--max-old-space-size=${HEAP_MIB}`] });
  const pageBytes = await fillPage(drill, service.origin, neighbour);
  const memory = watchMemory(drill, service.pid);
  const watch = [
    ask(drill, service.origin, '/health/live', {}),
    ask(drill, service.origin, '/v1/pets?limit=10', bearer(neighbour)),
  ];

  const requests = requestText('GET', '/v1/pets?limit=100', { key: attacker }).repeat(PIPELINED);
  drill.progress(`${connections} connections ask for ${PIPELINED} pages each and read slowly`);
  for (let i = 0; i < connections; i++) {
    trickle(drill, service.origin, requests);
    await delay(APART_MS);
  }
  await delay(ATTACK_S[form] * 1_000);
  const [live, pages] = await Promise.all(watch.map((finish) => finish()));

  drill.figure('attack', `${connections * PIPELINED} pages of ${Math.round(pageBytes / 1024)} KiB`);
  drill.figure('memory of the service', `${memory.first} MiB before, ${memory.most()} MiB at most`);
  const { slowest } = judge(drill, '/health/live', live);
  const { succeeded } = judge(drill, 'pages for another key', pages);
  drill.expect(
    '/health/live: all succeed',
    live.every(({ status }) => status === 200),
  );
  drill.expect(
    `pages for another key: at least ${SUCCEED[form] * 100} % succeed`,
    succeeded >= SUCCEED[form] * pages.length,
  );
  drill.expect(`/health/live answers within ${LIVE_MS[form]} ms`, slowest <= LIVE_MS[form]);
  drill.expect('the service goes on', service.running());
  drill.expect(
    `it holds at most ${AT_MOST_MIB[form]} MiB`,
    memory.most() > 0 && memory.most() <= AT_MOST_MIB[form],
  );
}

/** Fills a page with the longest names, and returns its size. */
async function fillPage(drill, origin, key) {
  drill.progress('adding 100 animals with the longest names');
  const { call } = httpClient(drill, origin, { connections: 10 });
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const body = JSON.stringify({ name: '🐕'.repeat(255), categoryId: 1 });
  await Promise.all(Array.from({ length: 100 }, () => call('POST', '/v1/pets', { headers, body })));
  const { status, text } = await call('GET', '/v1/pets?limit=100', { headers: bearer(key) });
  if (status !== 200) throw new Error(`No page to attack with: ${status} ${text}`);
  return Buffer.byteLength(text);
}

/** Sends requests at a steady rate, independent of the responses. */
function ask(drill, origin, path, headers) {
  const { call } = httpClient(drill, origin, { connections: 50, timeoutMs: 30_000 });
  const sent = [];
  const timer = setInterval(
    () =>
      sent.push(
        call('GET', path, { headers }).catch((error) => ({
          status: error.code ?? error.message,
          ms: Infinity,
        })),
      ),
    EVERY_MS,
  );
  drill.defer(() => clearInterval(timer));
  return () => {
    clearInterval(timer);
    return Promise.all(sent);
  };
}

function judge(drill, what, answers) {
  const failed = answers.filter(({ status }) => status !== 200);
  const ms = answers.map((answer) => answer.ms);
  const [median, most] = [percentile(ms, 0.5), percentile(ms, 1)];
  const why = [...new Set(failed.map(({ status }) => status))].join(' ');
  drill.figure(
    what,
    `${answers.length} requests, ${failed.length} failed ${why}; p50 ${median.toFixed(1)} ms, at most ${most.toFixed(0)} ms`,
  );
  return { slowest: most, succeeded: answers.length - failed.length };
}
