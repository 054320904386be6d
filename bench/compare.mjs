import { startContestant } from './contestants.mjs';
import { fullLoad, CONNECTIONS } from './load/wrk.mjs';
import { steadyLoad } from './load/steady.mjs';
import { cpuTime, memory } from './processes.mjs';
import { requireSameAnswers } from './same-answers.mjs';
import { median } from './statistics.mjs';

/** By default is too slow for this: half of its peak is little load for the others. */
const EQUAL_LOAD = ['service', 'fastify', 'go', 'rust'];

/** Measures all contestants, one under load at a time; returns them with their measurements by workload. */
export async function compare(bench, form, database, those) {
  const contestants = those.map((contestant) => ({ ...contestant, measured: {} }));
  for (let process = 1; process <= form.processes; process++) {
    // A process that starts first stays faster by a few per cent, so the order alternates.
    const inOrder = process % 2 ? contestants : contestants.toReversed();
    await start(bench, inOrder, database);
    await warmUp(bench, form, inOrder, database);
    await peaks(bench, form, contestants, database, process);
    await equalLoads(bench, form, contestants, database);
    for (const contestant of contestants) {
      contestant.peakMemory = Math.max(contestant.peakMemory ?? 0, memory(contestant.pid).peak);
    }
    if (process === form.processes && form.longRun) await afterAMillion(bench, form, contestants, database);
    for (const contestant of contestants) await contestant.stop();
  }
  await startTimes(bench, form, contestants, database);
  return contestants;
}

async function start(bench, contestants, database) {
  for (const contestant of contestants) {
    bench.progress(`starting ${contestant.title}`);
    Object.assign(contestant, await startContestant(bench, contestant, database));
  }
  await requireSameAnswers(
    contestants.filter(({ only }) => !only),
    database.key,
  );
}

async function load(contestant, { key, rows }, workload, seconds) {
  const started = cpuTime(contestant.pid);
  const result = await fullLoad({ origin: contestant.origin, key, rows, workload, seconds });
  contestant.requests += result.requests;
  return { ...result, cpu: (cpuTime(contestant.pid) - started) / result.requests };
}

const takesPart = ({ name, only }, workload, { inDepth }) =>
  (!only || only.includes(workload)) && (name !== 'again' || inDepth.includes(workload));

async function warmUp(bench, form, contestants, database) {
  for (const contestant of contestants) {
    bench.progress(`warming up ${contestant.title}`);
    for (const name of form.inDepth) {
      if (takesPart(contestant, name, form)) await load(contestant, database, name, form.warmUpSeconds);
    }
  }
}

async function peaks(bench, form, contestants, database, process) {
  for (let round = 0; round < form.rounds; round++) {
    for (const { name: workload } of form.workloads) {
      const those = contestants.filter((one) => takesPart(one, workload, form));
      for (const contestant of inTurn(those, (process - 1) * form.rounds + round)) {
        const result = await load(contestant, database, workload, form.seconds);
        (contestant.measured[workload] ??= { rounds: [], steady: [] }).rounds.push(result);
        const text = `${result.perSecond.toFixed(0).padStart(6)} requests/s, ${result.cpu.toFixed(3)} ms CPU each`;
        const at = `process ${process} of ${form.processes}, round ${round + 1} of ${form.rounds}`;
        bench.progress(`${at}  ${workload.padEnd(7)} ${contestant.name.padEnd(8)} ${text}`);
      }
    }
  }
}

/**
 * Orders contestants by a Williams design (A B D C, then B C A D, and so on): with an even number of contestants, each
 * follows each other one exactly once in as many rounds.
 */
function inTurn(contestants, round) {
  const count = contestants.length;
  const zigzag = contestants.map((_, i) => (i % 2 ? (i + 1) / 2 : count - i / 2));
  return zigzag.map((place) => contestants[(place + round) % count]);
}

/** Compares p99 at half the peak of the slowest contestant, because p99 means little under saturation. */
async function equalLoads(bench, form, contestants, { key, rows }) {
  const those = contestants.filter(({ name }) => EQUAL_LOAD.includes(name));
  for (const workload of form.inDepth) {
    const peaks = those.map(({ measured }) => median(measured[workload].rounds.map((one) => one.perSecond)));
    const perSecond = Math.floor(Math.min(...peaks) / 2);
    for (let round = 0; round < form.steadyRounds; round++) {
      for (const contestant of round % 2 ? those.toReversed() : those) {
        const { origin, measured } = contestant;
        const options = { origin, key, rows, workload, perSecond, connections: CONNECTIONS };
        const result = await steadyLoad({ ...options, seconds: form.steadySeconds });
        contestant.requests += perSecond * form.steadySeconds;
        measured[workload].steady.push({ ...result, perSecond });
        const text = `p99 ${result.p99.toFixed(1)} ms at ${perSecond} requests/s`;
        bench.progress(`equal load      ${workload.padEnd(7)} ${contestant.name.padEnd(8)} ${text}`);
      }
    }
  }
}

/** Measures memory after a million requests, including those sent before. */
async function afterAMillion(bench, form, contestants, database) {
  for (const contestant of contestants.filter(({ name }) => name === 'service' || name === 'fastify')) {
    while (contestant.requests < form.longRun) {
      await load(contestant, database, 'page', 20);
      bench.progress(`long run: ${contestant.name} has served ${contestant.requests} requests`);
    }
    contestant.memoryAfterAMillion = memory(contestant.pid).now;
  }
}

async function startTimes(bench, form, contestants, database) {
  for (let round = 0; round < form.starts; round++) {
    for (const contestant of contestants.filter(({ name }) => name !== 'again')) {
      const started = await startContestant(bench, contestant, database);
      await started.stop();
      (contestant.starts ??= []).push(started.startMs);
    }
  }
  for (const { name, starts } of contestants) {
    if (starts) bench.progress(`start to ready: ${name} ${median(starts).toFixed(0)} ms`);
  }
}
