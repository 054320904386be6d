import pg from 'pg';
import { startHaproxy } from './support/haproxy.mjs';
import { confineToHalfACore } from './support/half-a-core.mjs';
import { startLoadProcess } from './support/load.mjs';
import { watchMemory } from './support/process-figures.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';

export const title =
  'three times as many requests as it can serve do not keep the service from serving what it can';
export const hasShortForm = true;

/**
 * Requests that are worth protecting: to refuse takes a fifth of the work of a small answer, so that a process that gets
 * three times as many of those as it can answer has not even the time to refuse them.
 */
const ANIMALS = 100_000;
const TIMES = 3;
const GOODPUT_SHARE = 0.8;
const BACK_MS = 5_000;
/** The peak is the best of these: how many requests at once serve it best depends on the machine. */
const PEAK_CONNECTIONS = [32, 128];
/**
 * Each request that is under way needs one; clients beyond wait, and that counts as the service's time. With many more,
 * some machines let a few wait for seconds, whatever the service does.
 */
const CONNECTIONS = 600;
/** Of the peak, afterwards: as on a usual day. */
const USUAL_SHARE = 0.3;
/** A generator that falls behind would spare the service what it is to be tested with. */
const RATE_SHARE = 0.98;

export async function run(drill) {
  const seconds = drill.short
    ? { warmUp: 2, peak: 2, overload: 4, after: 6 }
    : { warmUp: 10, peak: 10, overload: 30, after: 15 };
  const { cluster, settings, key } = await setUp(drill);
  const service = await startService(drill, settings);
  await addAnimals(cluster.url);
  const { host } = new URL(service.origin);
  // As in the deployments, where the proxy gives a replica no more than it can work on. There is no second one.
  const proxy = await startHaproxy(drill, { addresses: { REPLICA_1: host, REPLICA_2: '127.0.0.1:1' } });
  await proxy.up('replica-1');
  const confined = confineToHalfACore(drill, service.pid);
  const memory = watchMemory(drill, service.pid);
  const send = startLoadProcess(drill);
  const target = { origin: proxy.origin, key, positions: ANIMALS - 100 };

  const peak = await findPeak(drill, send, target, seconds);
  const perSecond = Math.round(peak.goodput * TIMES);
  drill.progress(`${perSecond} requests a second, ${TIMES} times the peak, for ${seconds.overload} s`);
  const overload = await send({ ...target, perSecond, connections: CONNECTIONS, seconds: seconds.overload });
  const usual = Math.round(peak.goodput * USUAL_SHARE);
  drill.progress(`${usual} requests a second, as on a usual day`);
  const after = await send({ ...target, perSecond: usual, connections: CONNECTIONS, seconds: seconds.after });

  const share = overload.goodput / peak.goodput;
  drill.figure('the service has', confined ? 'half a core' : 'what it gets of the machine');
  drill.figure(
    'peak',
    `${peak.goodput.toFixed(0)} a second with ${peak.connections} clients; ${peak.latencyOfSuccesses}; ${peak.answers}`,
  );
  drill.figure(
    `${TIMES} × the peak`,
    `${overload.sentPerSecond.toFixed(0)} a second for ${seconds.overload} s: ${overload.answers}`,
  );
  drill.figure('goodput', `${overload.goodput.toFixed(0)} a second, ${share.toFixed(2)} of the peak`);
  drill.figure('successes took', overload.latencyOfSuccesses);
  drill.figure('refusals took', overload.latencyOfRefusals);
  drill.figure('afterwards', `${after.answers}; normal after ${(after.normalAfterMs / 1_000).toFixed(2)} s`);
  drill.figure('memory of the service', `${memory.first} MiB before, ${memory.most()} MiB at most`);
  judge(drill, { overload, after, share, perSecond, running: service.running() });
}

async function addAnimals(url) {
  const client = new pg.Client(url);
  await client.connect();
  const some = 'SELECT $1::text || n, n FROM generate_series(1, $2::int) AS n';
  await client.query(`INSERT INTO pets (name, category_id) ${some}`, ['animal ', ANIMALS]);
  await client.query('VACUUM ANALYZE pets');
  await client.end();
}

/** As fast as the answers come: each client sends one request after the other. */
async function findPeak(drill, send, target, seconds) {
  drill.progress('the peak: clients that send one request after the other');
  await send({ ...target, connections: PEAK_CONNECTIONS[0], seconds: seconds.warmUp });
  let best = { goodput: 0 };
  for (const connections of PEAK_CONNECTIONS) {
    const outcome = await send({ ...target, connections, seconds: seconds.peak });
    drill.progress(`  ${connections} clients: ${outcome.goodput.toFixed(0)} a second`);
    if (outcome.goodput > best.goodput) best = { connections, ...outcome };
  }
  return best;
}

function judge(drill, { overload, after, share, perSecond, running }) {
  drill.expect('the load was as high as it should be', overload.sentPerSecond >= perSecond * RATE_SHARE);
  drill.expect(`a goodput of at least ${GOODPUT_SHARE} of the peak`, share >= GOODPUT_SHARE);
  drill.expect('some are refused', overload.refused > 0);
  drill.expect(
    `the rest is told 503 with Retry-After and an Error body (else: ${overload.wrong})`,
    overload.wrong === 'none',
  );
  drill.expect(`back to normal within ${BACK_MS / 1_000} s`, after.normalAfterMs <= BACK_MS);
  drill.expect('the service is the same process as before', running);
}
