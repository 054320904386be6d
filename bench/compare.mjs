import { CONTESTANTS, startContestant } from './contestants.mjs';
import { fullLoad, CONNECTIONS } from './load/wrk.mjs';
import { steadyLoad } from './load/steady.mjs';
import { cpuTime, memory } from './processes.mjs';
import { requireSameAnswers } from './same-answers.mjs';
import { median } from './statistics.mjs';

/** Everybody against everybody, one under load at a time; returns what was measured, by contestant and workload. */
export async function compare(bench, form, database) {
  const { key, rows } = database;
  const running = [];
  for (const contestant of CONTESTANTS) {
    bench.progress(`starting ${contestant.title}`);
    running.push({ ...(await startContestant(bench, contestant, database)), measured: {} });
  }
  await requireSameAnswers(
    running.filter(({ only }) => !only),
    key,
  );
  const load = (contestant, workload, seconds) => {
    const started = cpuTime(contestant.pid);
    return fullLoad({ origin: contestant.origin, key, rows, workload, seconds }).then((result) => {
      contestant.requests += result.requests;
      return { ...result, cpu: (cpuTime(contestant.pid) - started) / result.requests };
    });
  };
  await warmUp(bench, form, running, load);
  await peaks(bench, form, running, load);
  await equalLoads(bench, form, running, database);
  for (const contestant of running) contestant.peakMemory = memory(contestant.pid).peak;
  if (form.longRun) await afterAMillion(bench, form, running, load);
  for (const contestant of running) await contestant.stop();
  await startTimes(bench, form, running, database);
  return running;
}

const takesPart = ({ name, only }, workload, { inDepth }) =>
  (!only || only.includes(workload)) && (name !== 'again' || inDepth.includes(workload));

async function warmUp(bench, form, running, load) {
  for (const contestant of running) {
    bench.progress(`warming up ${contestant.title}`);
    for (const name of form.inDepth) {
      if (takesPart(contestant, name, form)) await load(contestant, name, form.warmUpSeconds);
    }
  }
}

/** A B C, then A C B, then C A B, and so on: nobody always follows the same one. */
async function peaks(bench, form, running, load) {
  for (let round = 0; round < form.rounds; round++) {
    for (const { name: workload } of form.workloads) {
      const turn = running.map((_, i) => running[(i + round) % running.length]);
      if (round % 2) turn.reverse();
      for (const contestant of turn.filter((one) => takesPart(one, workload, form))) {
        const result = await load(contestant, workload, form.seconds);
        (contestant.measured[workload] ??= { rounds: [], steady: [] }).rounds.push(result);
        const text = `${result.perSecond.toFixed(0).padStart(6)} requests/s, ${result.cpu.toFixed(3)} ms CPU each`;
        bench.progress(
          `round ${round + 1} of ${form.rounds}  ${workload.padEnd(7)} ${contestant.name.padEnd(8)} ${text}`,
        );
      }
    }
  }
}

/** p99 says something only at a load that both can bear: half of what the slower of the two can. */
async function equalLoads(bench, form, running, { key, rows }) {
  const pair = running.filter(({ name }) => name === 'service' || name === 'fastify');
  for (const workload of form.inDepth) {
    const peaks = pair.map(({ measured }) => median(measured[workload].rounds.map((one) => one.perSecond)));
    const perSecond = Math.floor(Math.min(...peaks) / 2);
    for (let round = 0; round < form.steadyRounds; round++) {
      for (const contestant of round % 2 ? pair.toReversed() : pair) {
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

/** All that was asked before counts. */
async function afterAMillion(bench, form, running, load) {
  for (const contestant of running.filter(({ name }) => name === 'service' || name === 'fastify')) {
    while (contestant.requests < form.longRun) {
      await load(contestant, 'page', 20);
      bench.progress(`the long run: ${contestant.name} has had ${contestant.requests} requests`);
    }
    contestant.memoryAfterAMillion = memory(contestant.pid).now;
  }
}

async function startTimes(bench, form, running, database) {
  for (let round = 0; round < form.starts; round++) {
    for (const contestant of running.filter(({ name }) => name !== 'again')) {
      const started = await startContestant(bench, contestant, database);
      await started.stop();
      (contestant.starts ??= []).push(started.startMs);
    }
  }
  for (const { name, starts } of running) {
    if (starts) bench.progress(`start to ready: ${name} ${median(starts).toFixed(0)} ms`);
  }
}
