import { setTimeout as delay } from 'node:timers/promises';
import { latencies, refusedProperly, slowest, succeeded, tally } from './answers.mjs';
import { accepting } from './postgres.mjs';
import { RawClient } from './raw-client.mjs';
import { healthOf, startService } from './service.mjs';
import { setUp } from './set-up.mjs';
import { mixedRequests, SteadyLoad } from './steady-load.mjs';

const REQUESTS_PER_S = 200;
const ANSWER_MS = 1_000;
const BACK_MS = 2_000;
/** Counts as never after this time. */
const GIVE_UP_MS = 30_000;
const PATIENCE_MS = 10_000;

/**
 * Measures what clients see during a database outage under steady load. `damage(cluster)` causes the outage and resolves
 * to a function that ends it.
 */
export async function outageUnderLoad(drill, damage) {
  const seconds = drill.short ? 5 : 20;
  const { cluster, settings, key } = await setUp(drill);
  const service = await startService(drill, settings);
  const client = new RawClient(service.origin, { timeoutMs: PATIENCE_MS });
  drill.defer(() => client.close());
  const load = new SteadyLoad(client, REQUESTS_PER_S, mixedRequests(key));
  drill.defer(() => load.stop());
  drill.progress(`${REQUESTS_PER_S} requests a second, the database is up`);
  await delay(2_000);

  const repair = await damage(cluster);
  const from = performance.now();
  drill.progress(`the database is away, for ${seconds} s`);
  const alive = [];
  while (performance.now() - from < seconds * 1_000) {
    alive.push(await healthOf(service.origin, 'live'));
    await delay(500);
  }
  const to = performance.now();
  const [acceptedAt] = await Promise.all([accepting(cluster.url), repair()]);
  drill.progress('the database is back');
  await delay(BACK_MS + 2_000);
  const recovered = () => load.outcomes.some((outcome) => outcome.since >= to && succeeded(outcome));
  // Too late to pass, but the report shows how late.
  for (const end = performance.now() + GIVE_UP_MS; !recovered() && performance.now() < end;) await delay(100);
  const outcomes = await load.finish();

  const during = outcomes.filter(({ since, at }) => since >= from && at <= to);
  const after = outcomes.filter((outcome) => outcome.since >= to && succeeded(outcome));
  const firstBack = after.reduce((first, { at }) => Math.min(first, at), Infinity) - acceptedAt;
  tellOutage(drill, { seconds, outcomes, during, firstBack });
  drill.expect(
    '/health/live answered 200 all the time',
    alive.length > 0 && alive.every((status) => status === 200),
  );
  drill.expect('the service did not restart', service.running());
}

function tellOutage(drill, { seconds, outcomes, during, firstBack }) {
  drill.figure('requests', `${outcomes.length.toLocaleString('en')} in total: ${tally(outcomes)}`);
  drill.figure(`while away (${seconds} s)`, `${tally(during)}; ${latencies(during)}`);
  const back = Number.isFinite(firstBack) ? `${Math.max(0, firstBack / 1_000).toFixed(2)} s` : 'never';
  drill.figure('first success after PostgreSQL accepted connections', back);
  drill.figure('slowest answer', `${slowest(outcomes).toFixed(0)} ms`);

  const late = outcomes.filter(({ ms }) => ms > ANSWER_MS);
  const wrong = outcomes.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome));
  const served = during.filter(({ status }) => status !== 503);
  drill.expect(`every answer within ${ANSWER_MS / 1_000} s (late: ${tally(late)})`, late.length === 0);
  drill.expect(
    `each is a success or a 503 with Retry-After and an Error body (others: ${tally(wrong)})`,
    wrong.length === 0,
  );
  drill.expect(
    `all 503 while the database is away (others: ${tally(served)})`,
    during.length > 0 && served.length === 0,
  );
  drill.expect(`a success within ${BACK_MS / 1_000} s after PostgreSQL is back`, firstBack <= BACK_MS);
}
