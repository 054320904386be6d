import pg from 'pg';
import { startHaproxy } from './support/haproxy.mjs';
import { confineToHalfACore } from './support/cpu-limit.mjs';
import { startLoadProcess } from './support/load.mjs';
import { watchMemory } from './support/process-figures.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';

export const title =
  'under three times the load it can serve, the service keeps its goodput and refuses the rest';
export const hasShortForm = true;

/**
 * The load requests large pages from a table of this size. Refusing costs a fifth of a small answer, so three times the
 * peak of small requests would leave no time even to refuse them.
 */
const ANIMALS = 100_000;
const TIMES = 3;
const GOODPUT_SHARE = 0.8;
const BACK_MS = 5_000;
/** The peak is the best of these, because the best concurrency depends on the machine. */
const PEAK_CONNECTIONS = [32, 128];
/**
 * Each in-flight request needs one connection; others wait, and their wait counts as latency. With many more, some
 * machines delay a few connections for seconds, independently of the service, and the proxy gives an address 437.
 */
const CONNECTIONS = 400;
/** The share of the peak that counts as normal load, sent after the overload. */
const USUAL_SHARE = 0.3;
/** The load generator must reach this share of its target rate, or the drill does not test overload. */
const RATE_SHARE = 0.98;

export async function run(drill) {
  const seconds = drill.short
    ? { warmUp: 2, peak: 2, overload: 4, after: 6 }
    : { warmUp: 10, peak: 10, overload: 30, after: 15 };
  const { cluster, settings, key } = await setUp(drill);
  const service = await startService(drill, settings);
  await addAnimals(cluster.url);
  const { host } = new URL(service.origin);
  // As in the deployments, the proxy limits the concurrency of a replica. The second replica does not exist.
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
  drill.progress(`${usual} requests a second: normal load`);
  const after = await send({ ...target, perSecond: usual, connections: CONNECTIONS, seconds: seconds.after });

  const share = overload.goodput / peak.goodput;
  drill.figure('CPU of the service', confined ? 'half a core' : 'not limited');
  drill.figure(
    'peak',
    `${peak.goodput.toFixed(0)} a second with ${peak.connections} clients; ${peak.latencyOfSuccesses}; ${peak.answers}`,
  );
  drill.figure(
    `${TIMES} × the peak`,
    `${overload.sentPerSecond.toFixed(0)} a second for ${seconds.overload} s: ${overload.answers}`,
  );
  drill.figure('goodput', `${overload.goodput.toFixed(0)} a second, ${share.toFixed(2)} of the peak`);
  drill.figure('latency of successes', overload.latencyOfSuccesses);
  drill.figure('latency of refusals', overload.latencyOfRefusals);
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

/** Measures the peak in a closed loop: each client sends its next request after the answer to the last. */
async function findPeak(drill, send, target, seconds) {
  drill.progress('measuring the peak in a closed loop');
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
  drill.expect('the load generator reached its rate', overload.sentPerSecond >= perSecond * RATE_SHARE);
  drill.expect(`goodput is at least ${GOODPUT_SHARE} of the peak`, share >= GOODPUT_SHARE);
  drill.expect('some requests are refused', overload.refused > 0);
  drill.expect(
    `refusals are 503 with Retry-After and an Error body (others: ${overload.wrong})`,
    overload.wrong === 'none',
  );
  drill.expect(`back to normal within ${BACK_MS / 1_000} s`, after.normalAfterMs <= BACK_MS);
  drill.expect('the service did not restart', running);
}
