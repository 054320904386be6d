import { bearer } from '../drills/support/http.mjs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fillDatabase } from './database.mjs';
import { fullLoad } from './load/wrk.mjs';
import { readPlan } from './report/plan.mjs';
import { explainedStatements } from './statement-log.mjs';
import { ratios, summary } from './statistics.mjs';

const SETTLED_AFTER = 40;
/** Up to 21 rows in separate blocks, plus the descent of the index and a small margin. */
const MOST_BUFFERS = 21 + 9;

/** Databases with few rows and with many, each with the plans of the workloads and a service. */
export async function prepareSides(bench, postgres, rowsOfSides, workloads) {
  const sides = [];
  for (const [i, rows] of rowsOfSides.entries()) {
    const database = await fillDatabase(bench, postgres, ['few', 'many'][i], rows);
    const plans = await plansOf(bench, postgres, database, workloads);
    sides.push({ database, plans, service: await startContestant(bench, CONTESTANTS[0], database) });
  }
  return sides;
}

/**
 * The query plan of each workload. After several executions PostgreSQL may switch a prepared statement to a generic plan,
 * so this takes the plan after many.
 */
async function plansOf(bench, postgres, database, workloads) {
  const plans = await explainedStatements(postgres, database, async () => {
    const service = await startContestant(bench, CONTESTANTS[0], database);
    for (const { request } of workloads) {
      for (let i = 0; i < SETTLED_AFTER; i++) await ask(service, database, ...request(database.rows));
    }
    await service.stop();
  });
  if (plans.length < workloads.length * SETTLED_AFTER) {
    throw new Error(
      `PostgreSQL's log has ${plans.length} plans instead of ${workloads.length * SETTLED_AFTER}.`,
    );
  }
  return workloads.map((_, i) => readPlan(plans.at((i + 1 - workloads.length) * SETTLED_AFTER - 1)));
}

/** Measures each workload on both sides in turn, and judges the ratios and the plans. */
export async function compareSides(bench, form, sides, workloads, atLeast) {
  const compared = [];
  for (const workload of workloads) compared.push(await measure(bench, form, workload, sides));
  for (const { title, ratio } of compared) {
    const text = `${title}: many rows ÷ few: ${ratio.median.toFixed(2)}, at least ${atLeast}`;
    bench.expect(text, ratio.median >= atLeast);
  }
  for (const side of sides) judgePlans(bench, side, workloads);
  return compared;
}

async function measure(bench, form, { name, title }, sides) {
  const load = ({ database, service }, seconds) =>
    fullLoad({ ...database, origin: service.origin, workload: name, seconds });
  for (const side of sides) await load(side, form.warmUpSeconds);
  const measured = sides.map(() => []);
  for (let round = 0; round < form.flatRounds; round++) {
    for (const at of round % 2 ? [1, 0] : [0, 1]) {
      const { perSecond } = await load(sides[at], form.seconds);
      measured[at].push(perSecond);
      const rows = sides[at].database.rows.toLocaleString('en').padStart(11);
      bench.progress(
        `round ${round + 1} of ${form.flatRounds}  ${name.padEnd(6)}  ${rows} rows ${perSecond.toFixed(0)} requests/s`,
      );
    }
  }
  const [few, many] = measured;
  return { name, title, few: summary(few), many: summary(many), ratio: ratios(many, few) };
}

/** Checks the plans too, because the ratio would also be good if the side with few rows were slow. */
function judgePlans(bench, { database, plans }, workloads) {
  for (const [i, { title }] of workloads.entries()) {
    const { buffers, discarded } = plans[i];
    const what = `${title}, ${database.rows.toLocaleString('en')} rows`;
    bench.expect(`${what}: ${buffers} buffers, at most ${MOST_BUFFERS}`, buffers <= MOST_BUFFERS);
    bench.expect(`${what}: ${discarded} rows read and discarded, none allowed`, discarded === 0);
  }
}

export async function ask({ origin }, { key }, path, options = {}) {
  const headers = { ...bearer(key), ...(options.body && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${origin}${path}`, { ...options, headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}.`);
}
