import { bearer } from '../drills/support/http.mjs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fillDatabase, startDatabase } from './database.mjs';
import { fullLoad } from './load/wrk.mjs';
import { flatPage } from './report/flat-page.mjs';
import { readPlan } from './report/plan.mjs';
import { describeMachine, writePage } from './report/write.mjs';
import { explainedStatements, statementsDuring } from './statement-log.mjs';
import { ratios, summary } from './statistics.mjs';
import { TARGETS } from './workloads.mjs';

const PAGES = [
  { name: 'deep', title: 'the deepest position', path: (rows) => `/v1/pets?limit=20&after=${rows - 25}` },
  {
    name: 'rare',
    title: 'the rarest status, deepest',
    path: (rows) => `/v1/pets?limit=20&status=sold&after=${rows - 2_200}`,
  },
];

const SETTLED_AFTER = 40;
/** Up to 21 rows in separate blocks, plus the descent of the index and a small margin. */
const MOST_BUFFERS = 21 + 9;

/** Periodic statements, independent of the number of requests: key look-up, last use of a key, heartbeat. */
const BY_THE_CLOCK = /\bapi_keys\b|^SHOW transaction_read_only/;

/** Compares the cost of a page with few and with many rows: throughput, query plans, and statements per request. */
export async function run(bench, form) {
  const postgres = await startDatabase(bench);
  const sides = [];
  for (const [i, rows] of form.flatRows.entries()) {
    const database = await fillDatabase(bench, postgres, ['few', 'many'][i], rows);
    const plans = await plansOf(bench, postgres, database);
    sides.push({ database, plans, service: await startContestant(bench, CONTESTANTS[0], database) });
  }
  const pages = [];
  for (const page of PAGES) pages.push(await measure(bench, form, page, sides));
  const [few] = sides;
  const statements = await statementsPerRequest(bench, postgres, few.database);

  for (const { title, ratio } of pages) {
    bench.expect(
      `${title}: many rows ÷ few: ${ratio.median.toFixed(2)}, at least ${TARGETS.flat}`,
      ratio.median >= TARGETS.flat,
    );
  }
  for (const side of sides) judgePlans(bench, side);
  for (const { title, count, requests } of statements) {
    bench.expect(
      `${title}: ${count} statements for ${requests} requests, at most one each`,
      count <= requests,
    );
  }
  if (!form.isWhole) return;
  const machine = describeMachine(postgres.version);
  await writePage('flat-cost.md', flatPage({ pages, statements, sides, form, machine }));
  bench.progress('written: docs/performance/flat-cost.md');
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
      const rows = sides[at].database.rows.toLocaleString('en').padStart(10);
      bench.progress(
        `round ${round + 1} of ${form.flatRounds}  ${name}  ${rows} rows ${perSecond.toFixed(0)} requests/s`,
      );
    }
  }
  const [few, many] = measured;
  return { name, title, few: summary(few), many: summary(many), ratio: ratios(many, few) };
}

/**
 * The query plan of each page. After several executions PostgreSQL may switch a prepared statement to a generic plan, so
 * this takes the plan after many.
 */
async function plansOf(bench, postgres, database) {
  const plans = await explainedStatements(postgres, database, async () => {
    const service = await startContestant(bench, CONTESTANTS[0], database);
    for (const { path } of PAGES) {
      for (let i = 0; i < SETTLED_AFTER; i++) await ask(service, database, path(database.rows));
    }
    await service.stop();
  });
  if (plans.length < PAGES.length * SETTLED_AFTER) {
    throw new Error(`PostgreSQL's log has ${plans.length} plans instead of ${PAGES.length * SETTLED_AFTER}.`);
  }
  return PAGES.map((_, i) => plans.at((i + 1 - PAGES.length) * SETTLED_AFTER - 1));
}

/** Checks the plans too, because the ratio would also be good if the side with few rows were slow. */
function judgePlans(bench, { database, plans }) {
  for (const [i, { title }] of PAGES.entries()) {
    const { buffers, discarded } = readPlan(plans[i]);
    const what = `${title}, ${database.rows.toLocaleString('en')} rows`;
    bench.expect(`${what}: ${buffers} buffers, at most ${MOST_BUFFERS}`, buffers <= MOST_BUFFERS);
    bench.expect(`${what}: ${discarded} rows read and discarded, none allowed`, discarded === 0);
  }
}

/** One after the other, because requests at the same time may share a statement. */
async function statementsPerRequest(bench, postgres, database) {
  const requests = 50;
  const kinds = [
    { title: 'a page', send: (i) => ['/v1/pets?limit=20&after=' + i] },
    { title: 'one animal', send: (i) => [`/v1/pets/${i + 1}`] },
    {
      title: 'a create',
      send: () => ['/v1/pets', { method: 'POST', body: JSON.stringify({ name: 'Rex', categoryId: 1 }) }],
    },
  ];
  const counted = [];
  for (const { title, send } of kinds) {
    const statements = await statementsDuring(postgres, database, async (marked) => {
      const service = await startContestant(bench, CONTESTANTS[0], database);
      await marked();
      for (let i = 0; i < requests; i++) await ask(service, database, ...send(i));
      await marked();
      await service.stop();
    });
    const texts = statements.filter((text) => !BY_THE_CLOCK.test(text));
    counted.push({ title, requests, count: texts.length, byTheClock: statements.length - texts.length });
  }
  return counted;
}

async function ask({ origin }, { key }, path, options = {}) {
  const headers = { ...bearer(key), ...(options.body && { 'content-type': 'application/json' }) };
  const answer = await fetch(`${origin}${path}`, { ...options, headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}.`);
}
