import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../dist/database/migrator.js';
import { observedLoad } from './load/steady.mjs';
import { CONNECTIONS } from './load/wrk.mjs';

/** After the first second of the load, which warms up its generator. */
const BEGIN_MS = 1_500;

class AddColumn4102444800000 {
  title = 'a column with a default';
  statement = "ALTER TABLE pets ADD COLUMN note text NOT NULL DEFAULT ''";
  up = (runner) => runner.query(this.statement);
}

class AddIndex4102444800001 {
  title = 'an index';
  statement = 'CREATE INDEX CONCURRENTLY pets_category_id ON pets (category_id, id)';
  transaction = false;
  up = (runner) => runner.query(this.statement);
}

/** Runs migrations as the service does, while half of the requests are pages and half creates. */
export async function migrationsUnderLoad(bench, form, { database, service }, perSecond) {
  const { url } = database;
  const connection = { kind: 'server', url, directUrl: url };
  const load = {
    ...database,
    origin: service.origin,
    workload: 'mixed',
    perSecond,
    connections: CONNECTIONS,
  };
  const measured = [];
  for (const Migration of [AddColumn4102444800000, AddIndex4102444800001]) {
    const { title, statement } = new Migration();
    bench.progress(`migration: ${statement}`);
    const work = () => migrate(connection, [Migration]);
    const { seconds, periods } = await during(work, () => observedLoad({ ...load, seconds: form.seconds }));
    const sum = (figure) => periods.reduce((total, period) => total + period[figure], 0);
    const most = (figure) => Math.max(...periods.map((period) => period[figure]));
    const result = { title, statement, seconds, sent: sum('sent'), failed: sum('failed') };
    measured.push({ ...result, p99: most('p99'), max: most('max') });
    const failures = periods.map((period) => period.failed && period.failures).filter(Boolean);
    bench.expect(
      `migration that adds ${title}, ${seconds.toFixed(2)} s: ${result.failed} of ${result.sent} requests failed, ` +
        ['none allowed', ...failures].join('; '),
      result.failed === 0,
    );
  }
  return measured;
}

/** Repeats the load until the work is done. */
async function during(work, load) {
  let isDone = false;
  const timed = async () => {
    await delay(BEGIN_MS);
    const started = performance.now();
    await work();
    return (performance.now() - started) / 1000;
  };
  const working = timed().finally(() => (isDone = true));
  working.catch(() => {}); // awaited below
  const periods = [];
  do periods.push(await load());
  while (!isDone);
  return { seconds: await working, periods };
}
