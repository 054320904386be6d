import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { startStandby } from '../scripts/support/postgres-cluster.mjs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fillDatabase, moveServer, processesOf, query, startDatabase } from './database.mjs';
import { fullLoad } from './load/wrk.mjs';
import { median, ratios } from './statistics.mjs';
import { TARGETS } from './workloads.mjs';

const CALLS = `
  SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
  JOIN pg_database ON pg_database.oid = dbid WHERE datname = current_database() AND query !~ 'pg_stat_statements'`;

/** Compares what a read costs the primary with and without a standby, in turn. */
export async function run(bench, form) {
  const primary = await startDatabase(bench, { shared_preload_libraries: 'pg_stat_statements' });
  const database = await fillDatabase(bench, primary, 'animals', form.flatRows[0]);
  await query(database.url, 'CREATE EXTENSION pg_stat_statements');
  const sides = [
    { name: 'alone', service: await startContestant(bench, CONTESTANTS[0], database) },
    { name: 'with a standby', service: await withStandby(bench, primary, database) },
  ];
  for (const workload of ['page', 'one']) {
    for (const { service } of sides) await load(service, database, workload, form.warmUpSeconds);
    const rounds = sides.map(() => []);
    for (let round = 0; round < form.flatRounds; round++) {
      for (const at of round % 2 ? [1, 0] : [0, 1]) {
        const one = await measure(primary, database, sides[at].service, workload, form.seconds);
        rounds[at].push(one);
        const { perSecond, p50, calls, cpu } = one;
        bench.progress(
          `round ${round + 1} of ${form.flatRounds}  ${workload}  ${sides[at].name.padEnd(14)}  ${perSecond.toFixed(0)} requests/s, p50 ${p50.toFixed(2)} ms; primary: ${calls.toFixed(3)} statements, ${(cpu * 1_000).toFixed(1)} µs per read`,
        );
      }
    }
    judge(bench, workload, rounds);
  }
}

async function withStandby(bench, primary, { url, key }) {
  const standby = await startStandby(postgresBinaries(), primary);
  bench.defer(standby.stop);
  moveServer(standby);
  const standbyUrl = Object.assign(new URL(standby.url), { pathname: new URL(url).pathname }).href;
  return startContestant(bench, CONTESTANTS[0], {
    url,
    key,
    settings: { DATABASE_STANDBY_URLS: standbyUrl },
  });
}

const load = ({ origin }, database, workload, seconds) =>
  fullLoad({ ...database, origin, workload, seconds });

async function measure(primary, database, service, workload, seconds) {
  await query(database.url, 'SELECT pg_stat_statements_reset()');
  await delay(100); // the server's process of that query ends
  const exists = (pid) => existsSync(`/proc/${pid}`);
  const before = processesOf(primary)
    .filter(exists)
    .map((pid) => ({ pid, cpu: cpuTime(pid) }));
  const { requests, perSecond, p50 } = await load(service, database, workload, seconds);
  // Idle connections may have ended.
  const used = before.filter(({ pid }) => exists(pid)).map(({ pid, cpu }) => cpuTime(pid) - cpu);
  const cpu = used.reduce((sum, ms) => sum + ms, 0) / requests;
  const [{ calls }] = await query(database.url, CALLS);
  return { perSecond, p50, cpu, calls: calls / requests };
}

/** In milliseconds. Finer than clock ticks, which are as long as a round's work for the primary. */
const cpuTime = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;

function judge(bench, workload, [alone, helped]) {
  const of = (figure) => [helped, alone].map((rounds) => rounds.map((round) => round[figure]));
  const cpu = ratios(...of('cpu')).median;
  const calls = ratios(...of('calls')).median;
  const later = median(helped.map(({ p50 }, round) => p50 - alone[round].p50));
  const { share, laterMs } = TARGETS.standby;
  bench.expect(`${workload}: statements ÷ alone: ${calls.toFixed(3)}, at most ${share}`, calls <= share);
  bench.expect(
    `${workload}: processor time of the primary ÷ alone: ${cpu.toFixed(2)}, at most ${share}`,
    cpu <= share,
  );
  if (workload !== 'page') return;
  bench.expect(`a page's p50 is ${later.toFixed(2)} ms later, at most ${laterMs}`, later <= laterMs);
}
