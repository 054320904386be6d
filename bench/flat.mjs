import { CONTESTANTS, startContestant } from './contestants.mjs';
import { startDatabase } from './database.mjs';
import { flatPage } from './report/flat-page.mjs';
import { describeMachine, writePage } from './report/write.mjs';
import { ask, compareSides, prepareSides } from './sides.mjs';
import { statementsDuring } from './statement-log.mjs';
import { TARGETS } from './workloads.mjs';

/** By the names of `load/requests.lua`, each with one request of its kind. */
export const PAGES = [
  {
    name: 'deep',
    title: 'the deepest position',
    request: (rows) => [`/v1/pets?limit=20&after=${rows - 25}`],
  },
  {
    name: 'rare',
    title: 'the rarest status, deepest',
    request: (rows) => [`/v1/pets?limit=20&status=sold&after=${rows - 2_200}`],
  },
];
export const ONE = { name: 'one', title: 'one animal', request: (rows) => [`/v1/pets/${rows}`] };
export const CREATE = {
  name: 'create',
  title: 'a create',
  request: () => ['/v1/pets', { method: 'POST', body: JSON.stringify({ name: 'Rex', categoryId: 1 }) }],
};

/** Periodic statements, independent of the number of requests: key look-up, last use of a key, heartbeat. */
const BY_THE_CLOCK = /\bapi_keys\b|^SHOW transaction_read_only/;

/** Compares the cost of a page with few and with many rows: throughput, query plans, and statements per request. */
export async function run(bench, form) {
  const postgres = await startDatabase(bench);
  const sides = await prepareSides(bench, postgres, form.flatRows, PAGES);
  const pages = await compareSides(bench, form, sides, PAGES, TARGETS.flat);
  const [few] = sides;
  const statements = await statementsPerRequest(bench, postgres, few.database);
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

/** One after the other, because requests at the same time may share a statement. */
async function statementsPerRequest(bench, postgres, database) {
  const requests = 50;
  const kinds = [
    { title: 'a page', request: (i) => [`/v1/pets?limit=20&after=${i}`] },
    { ...ONE, request: (i) => ONE.request(i + 1) },
    CREATE,
  ];
  const counted = [];
  for (const { title, request } of kinds) {
    const statements = await statementsDuring(postgres, database, async (marked) => {
      const service = await startContestant(bench, CONTESTANTS[0], database);
      await marked();
      for (let i = 0; i < requests; i++) await ask(service, database, ...request(i));
      await marked();
      await service.stop();
    });
    const texts = statements.filter((text) => !BY_THE_CLOCK.test(text));
    counted.push({ title, requests, count: texts.length, byTheClock: statements.length - texts.length });
  }
  return counted;
}
