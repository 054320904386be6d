import { readFileSync } from 'node:fs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fillDatabase, startDatabase } from './database.mjs';
import { fullLoad } from './load/wrk.mjs';
import { memory } from './processes.mjs';
import { ratios } from './statistics.mjs';

const WORKLOADS = ['page', 'one', 'create'];

/** Compares one worker with two, on all cores, which PostgreSQL and the load share: no application here has a core of its own. */
export async function run(bench, form) {
  const postgres = await startDatabase(bench);
  const database = await fillDatabase(bench, postgres, 'workers', form.flatRows[0]);
  const services = {};
  for (const workers of [1, 2]) {
    const settings = { WORKERS: String(workers) };
    services[workers] = await startContestant(bench, CONTESTANTS[0], { ...database, settings, core: 'any' });
  }
  for (const workload of WORKLOADS) {
    const measured = { 1: [], 2: [] };
    for (let round = -1; round < form.flatRounds; round++) {
      for (const workers of round % 2 ? [1, 2] : [2, 1]) {
        const { origin } = services[workers];
        const seconds = round < 0 ? form.warmUpSeconds : form.seconds;
        const { perSecond } = await fullLoad({ ...database, origin, workload, seconds });
        if (round >= 0) measured[workers].push(perSecond);
      }
    }
    const { median, low, high } = ratios(measured[2], measured[1]);
    const [one, two] = [1, 2].map((workers) =>
      measured[workers].toSorted((a, b) => a - b)[form.flatRounds >> 1].toFixed(0),
    );
    bench.expect(
      `${workload}: ${one} requests/s with one worker, ${two} with two: ${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
      median > 0,
    );
  }
  for (const workers of [1, 2]) {
    const pids = family(services[workers].pid);
    const megabytes = pids.reduce((sum, pid) => sum + memory(pid).now, 0);
    bench.expect(`memory, ${pids.length} processes: ${megabytes.toFixed(0)} MB`, megabytes > 0);
  }
}

/** The process and those that it started. */
function family(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.map(Number)];
}
