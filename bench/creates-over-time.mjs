import { query } from './database.mjs';
import { observedLoad } from './load/steady.mjs';
import { CONNECTIONS } from './load/wrk.mjs';
import { entries, logSinceNow } from './statement-log.mjs';

const SIZES = "SELECT pg_table_size('pets')::float8 AS table, pg_indexes_size('pets')::float8 AS indexes";
const MEGABYTE = 1024 ** 2;

/** Creates at a steady rate, period by period, beside what PostgreSQL does in the background. */
export async function createsOverTime(bench, form, postgres, { database, service }, perSecond) {
  const load = {
    ...database,
    origin: service.origin,
    workload: 'create',
    perSecond,
    connections: CONNECTIONS,
  };
  const periods = [];
  for (let period = 1; period <= form.periods; period++) {
    const [before] = await query(database.url, SIZES);
    const logged = logSinceNow(postgres);
    const result = await observedLoad({ ...load, seconds: form.seconds });
    const [after] = await query(database.url, SIZES);
    const background = backgroundWork(logged());
    const growth = (what) => (after[what] - before[what]) / MEGABYTE;
    periods.push({ ...result, table: growth('table'), indexes: growth('indexes'), background, after });
    const { p50, p99, max, failed } = result;
    const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${max.toFixed(0)} ms`;
    bench.progress(
      `creates, ${period} of ${form.periods}: ${perSecond}/s, ${times}, ${failed} failed; ${background}`,
    );
  }
  const failed = periods.reduce((sum, period) => sum + period.failed, 0);
  bench.expect(`creates at half load: ${failed} requests failed, none allowed`, failed === 0);
  return periods;
}

/** The checkpoints, and the work of autovacuum on animals, in words. */
function backgroundWork(log) {
  const found = entries(log).flatMap((entry) => {
    const checkpoint = /checkpoint complete: wrote (\d+) buffers[^]* total=([\d.]+) s/.exec(entry);
    if (checkpoint) return [`checkpoint, ${checkpoint[1]} buffers in ${checkpoint[2]} s`];
    const vacuum =
      /automatic (?:aggressive )?(vacuum|analyze) of table "[^"]*\.pets"[^]*elapsed: ([\d.]+) s/.exec(entry);
    return vacuum ? [`auto${vacuum[1]}, ${vacuum[2]} s`] : [];
  });
  return found.join('; ') || '–';
}
