import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { startHaproxy } from './support/haproxy.mjs';
import { LegitimateClients } from './support/legitimate-clients.mjs';
import { makeLink } from './support/link.mjs';
import { query } from './support/postgres.mjs';
import { watchMemory } from './support/process-figures.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { CUT_WITHIN_S, judgeCrowd } from './support/slow-crowd.mjs';

export const hasShortForm = true;
export const title = 'slow clients of the deployment, over a real link, take nothing from anybody else';

/** More than the slots of both replicas. All crowds share a key; each has an address, and stays below what that gets. */
const HOLDING = 160;
const OTHERS = 50;
const BYTES_PER_S = 15_000;
/** Nearly the buffer of the proxy. It has read them all when it refuses them, and so closes without a reset. */
const FILLING_BYTES = 130_300;

export async function run(drill) {
  const attackS = drill.short ? 20 : 60;
  const link = makeLink(drill);
  const { cluster, settings, key } = await setUp(drill);
  const [slowKey] = await issueKeys(settings, 1);
  const [one, two] = [await startReplica(drill, settings), await startReplica(drill, settings)];
  await addLargeAnimals(cluster.url);
  const proxy = await startHaproxy(drill, {
    host: link.address,
    addresses: { REPLICA_1: new URL(one.origin).host, REPLICA_2: new URL(two.origin).host },
  });
  for (const name of ['replica-1', 'replica-2']) await proxy.up(name);
  const memory = watchMemory(drill, proxy.pid);
  const legitimate = new LegitimateClients(drill, proxy.origin, key);
  await delay(2_000);

  const plans = crowdsOf(proxy.origin, slowKey, link.clients);
  const crowds = startCrowds(link);
  drill.progress(`the slow clients come: ${plans.map(({ size, name }) => `${size} ${name}`).join(', ')}`);
  await crowds('come', plans);
  drill.progress(`they are all there; for the ones that are cut off others come, for ${attackS} s`);
  await delay(attackS * 1_000);
  await crowds('cease');
  drill.progress(`no more of them come; the last ones have ${CUT_WITHIN_S} s`);
  await delay(CUT_WITHIN_S * 1_000 + 1_000);

  await legitimate.judge(drill);
  for (const crowd of await crowds('judge')) judgeCrowd(drill, crowd);
  drill.figure('memory of the proxy', `${memory.first} MiB before, ${memory.most()} MiB at most`);
}

async function startReplica(drill, settings) {
  return startService(drill, { ...settings, PORT: String(await freePort()) });
}

/** A page of the longest names: 110 KB, the largest response of the API. */
async function addLargeAnimals(url) {
  await query(
    url,
    "INSERT INTO pets (name, category_id) SELECT repeat('🐘', 255), n FROM generate_series(1, 100) AS n",
  );
}

function startCrowds(link) {
  const child = link.fork(join(import.meta.dirname, 'support', 'crowd-process.mjs'));
  const ended = once(child, 'exit').then(() => {
    throw new Error('The process of the slow clients has ended.');
  });
  ended.catch(() => {}); // the caller handles the rejection
  return async (order, argument) => {
    child.send({ order, argument });
    const [{ result }] = await Promise.race([once(child, 'message'), ended]);
    return result;
  };
}

function crowdsOf(origin, key, addresses) {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const bundle = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
  const body = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"name":"`;
  const endless = { drip: 'x', size: HOLDING / 2, backWithinMs: 10_000, answer: 413, leaves: true };
  const slowly = { size: HOLDING, bytesPerSecond: BYTES_PER_S, stays: true };
  return [
    { name: 'slow readers of the page', first: bundle, drip: '', ...slowly },
    { name: 'slow readers of animals', first: page, drip: '', ...slowly },
    { name: 'slow readers that go on asking for animals', first: page, drip: page, ...slowly },
    { name: 'slow bodies', first: body, drip: 'x', size: HOLDING, answer: 408, leaves: true },
    { name: 'endless bodies', first: fill('Content-Length: 10000000\r\n\r\n'), ...endless },
    { name: 'endless chunks', first: fill('Transfer-Encoding: chunked\r\n\r\nffffff\r\n'), ...endless },
    { name: 'slow headers', first: 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n' },
    { name: 'silent connections', first: '', drip: '' },
    { name: 'readers of the page that do not read', first: bundle.repeat(4), drip: '\r\n', reads: false },
  ].map((crowd, i) => ({ origin, from: addresses[i], size: OTHERS, ...crowd }));
}

/** The start of a body that never ends, without a key. The wait for a body ends when the buffer is full. */
function fill(body) {
  return `OPTIONS /v1/pets HTTP/1.1\r\nHost: x\r\n${body}`.padEnd(FILLING_BYTES, 'x');
}
