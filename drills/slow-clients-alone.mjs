import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LegitimateClients } from './support/legitimate-clients.mjs';
import { startPostgres } from './support/postgres.mjs';
import { watchMemory } from './support/process-figures.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { CUT_WITHIN_S, judgeCrowd, SlowCrowd } from './support/slow-crowd.mjs';

export const title =
  'a replica without a proxy cuts off thousands of slow clients, and nobody else notices them';

const SLOW_OF_EACH_KIND = 1_000;
/**
 * Kernel memory for a client that reads nothing. It is this much only on the loopback interface, whose segments are
 * large. It limits the number of readers.
 */
const READER_BYTES = 5_000_000;
const PIPELINERS = 20;
const PIPELINED = 1_000;
const ATTACK_S = 25;

export async function run(drill) {
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test' };
  const [key] = await issueKeys(settings, 1);
  const service = await startService(drill, settings);
  const legitimate = new LegitimateClients(drill, service.origin, key);
  const memory = watchMemory(drill, service.pid);
  await delay(3_000);

  const crowds = crowdsOf(service.origin, key);
  for (const crowd of crowds) drill.defer(() => crowd.leave());
  drill.progress(`the slow clients come: ${crowds.map(({ size, name }) => `${size} ${name}`).join(', ')}`);
  await Promise.all(crowds.map((crowd) => crowd.come()));
  drill.progress(`they are all there; for the slow ones that are cut off others come, for ${ATTACK_S} s`);
  await delay(ATTACK_S * 1_000);
  for (const crowd of crowds) crowd.replace = false;
  drill.progress(`no more of them come; the last ones have ${CUT_WITHIN_S} s`);
  await delay(CUT_WITHIN_S * 1_000 + 1_000);

  await legitimate.judge(drill);
  for (const crowd of crowds) judgeCrowd(drill, crowd.summary());
  drill.figure('memory of the service', `${memory.first} MiB before, ${memory.most()} MiB at most`);
}

function crowdsOf(origin, key) {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const post = (credential) =>
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${credential}Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"name":"`;
  const get = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  const size = SLOW_OF_EACH_KIND;
  return [
    new SlowCrowd('slow headers', {
      origin,
      size,
      first: 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n',
      drip: 'X-A: b\r\n',
      answer: 408,
    }),
    new SlowCrowd('silent connections', { origin, size, first: '', drip: '', answer: 408 }),
    new SlowCrowd('slow bodies', { origin, size, first: post(authorization), drip: 'x', answer: 408 }),
    new SlowCrowd('slow bodies without a key', { origin, size, first: post(''), drip: 'x', answer: 401 }),
    // Enough to fill every buffer on the way. A failed drip shows a reader that it was cut off.
    new SlowCrowd('readers that do not read', {
      origin,
      size: Math.min(size, readersTheKernelBears()),
      first: get.repeat(4),
      drip: '\r\n',
      reads: false,
    }),
    new SlowCrowd(`readers that ask ${PIPELINED} times at once`, {
      origin,
      size: PIPELINERS,
      first: get.repeat(PIPELINED),
      drip: '\r\n',
      reads: false,
      again: false, // they are cut off at once: reconnecting would make them fast clients
    }),
  ];
}

function readersTheKernelBears() {
  try {
    const pagesBeforePressure = Number(readFileSync('/proc/sys/net/ipv4/tcp_mem', 'utf8').split(/\s+/)[1]);
    return Math.floor((pagesBeforePressure * 4_096 * 0.8) / READER_BYTES);
  } catch {
    return 200;
  }
}
