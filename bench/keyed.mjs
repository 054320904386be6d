import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fillDatabase, query, startDatabase } from './database.mjs';
import { CONNECTIONS, fullLoad } from './load/wrk.mjs';
import { cpuTime } from './processes.mjs';
import { ratios } from './statistics.mjs';
import { TARGETS } from './workloads.mjs';

const WORKLOADS = ['create', 'keyed'];
/** A create with a key waits for two round trips. With few connections the process idles meanwhile, and with these not. */
const MANY_CONNECTIONS = 2 * CONNECTIONS;

/** Compares creates with and without an Idempotency-Key, in turn. */
export async function run(bench, form) {
  const postgres = await startDatabase(bench);
  const database = await fillDatabase(bench, postgres, 'keyed', form.flatRows[0]);
  const service = await startContestant(bench, CONTESTANTS[0], database);
  const load = async (workload, connections, seconds) => {
    const before = cpuTime(service.pid);
    const { perSecond, requests } = await fullLoad({
      ...database,
      origin: service.origin,
      workload,
      connections,
      seconds,
    });
    return { perSecond, cpu: (cpuTime(service.pid) - before) / requests };
  };
  // The way of a request with a key is longer, and V8 compiles it for longer.
  for (const workload of WORKLOADS) await load(workload, CONNECTIONS, 4 * form.warmUpSeconds);
  await query(database.url, 'VACUUM ANALYZE'); // as autovacuum does within a minute
  for (const connections of [CONNECTIONS, MANY_CONNECTIONS]) {
    const measured = { create: [], keyed: [] };
    for (let round = 0; round < form.flatRounds; round++) {
      for (const workload of round % 2 ? WORKLOADS.toReversed() : WORKLOADS) {
        const one = await load(workload, connections, form.seconds);
        measured[workload].push(one.perSecond);
        bench.progress(
          `round ${round + 1} of ${form.flatRounds}  ${connections} connections  ${workload.padEnd(6)}  ${one.perSecond.toFixed(0)} requests/s, CPU ${one.cpu.toFixed(3)} ms`,
        );
      }
    }
    const { median, low, high } = ratios(measured.keyed, measured.create);
    const ratio = `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
    const what = `a create with a key ÷ without, ${connections} connections`;
    if (connections === MANY_CONNECTIONS)
      bench.expect(`${what}: ${ratio}, at least ${TARGETS.keyed}`, median >= TARGETS.keyed);
    else bench.figure(what, ratio);
  }
}
