import { median, ratios, summary } from '../statistics.mjs';
import { TARGETS } from '../workloads.mjs';

/** The largest difference between two runs of the service; beyond it, the machine was too busy to measure. */
const CONTROL_TOLERANCE = 0.05;

/** The service's figures are divided by theirs. */
const PEERS = ['fastify', 'go', 'rust', 'express'];

/** Turns the measurements into ratios to the peers, by workload and for the process. */
export function evaluate(contestants, workloads) {
  const by = Object.fromEntries(contestants.map((contestant) => [contestant.name, contestant]));
  return {
    workloads: workloads.map((workload) => evaluateWorkload(workload, by)),
    process: evaluateProcess(by),
  };
}

function evaluateWorkload(workload, by) {
  const of = (name, figure) => by[name].measured[workload.name]?.rounds.map((round) => round[figure]);
  const rate = (name) => of(name, 'perSecond');
  const steady = (name) => by[name].measured[workload.name].steady;
  const p99 = (name) => steady(name).map((round) => round.p99);
  const lines = Object.values(by)
    .filter(({ name }) => rate(name))
    .map(({ name, title }) => ({
      name,
      title,
      perSecond: summary(rate(name)),
      p50: median(of(name, 'p50')),
      p99: median(of(name, 'p99')),
      cpu: summary(of(name, 'cpu')),
      toHand: ratios(rate(name), rate('fastify')),
    }));
  return {
    ...workload,
    lines,
    peers: PEERS.filter((name) => by[name]).map((name) => ({
      name,
      title: by[name].title,
      rate: ratios(rate('service'), rate(name)),
      cpu: ratios(of('service', 'cpu'), of(name, 'cpu')),
      p99: steady(name).length > 0 ? ratios(p99('service'), p99(name)) : undefined,
    })),
    control: rate('again') && ratios(rate('again'), rate('service')),
    steady: steady('service')[0] && {
      perSecond: steady('service')[0].perSecond,
      p99: median(p99('service')),
    },
  };
}

function evaluateProcess({ service, fastify, ...others }) {
  const lines = [service, fastify, ...Object.values(others)]
    .filter(({ starts }) => starts)
    .map(({ title, starts, peakMemory, memoryAfterAMillion }) => {
      return { title, start: summary(starts), peakMemory, memoryAfterAMillion };
    });
  const start = ratios(service.starts, fastify.starts);
  const memory = service.memoryAfterAMillion && service.memoryAfterAMillion / fastify.memoryAfterAMillion;
  return { lines, start, memory };
}

/** Whether two instances of the service give the same results; reports a failed expectation otherwise. */
export function isTrustworthy(bench, { workloads }) {
  const off = workloads.filter(({ control }) => control && Math.abs(control.median - 1) > CONTROL_TOLERANCE);
  for (const { title, control } of off) {
    bench.expect(
      `control on ${title}: two instances of the service differ by a factor of ${control.median.toFixed(2)}. ` +
        'Other programs disturb this machine, so discard the results and run the bench again when it is idle.',
      false,
    );
  }
  return off.length === 0;
}

/** Compares the ratios with their targets; returns the verdicts for the report. */
export function judge(bench, outcome) {
  const verdicts = verdictsOn(outcome);
  for (const { text, isMet } of verdicts) bench.expect(text, isMet);
  return verdicts;
}

function verdictsOn({ workloads, process }) {
  const verdicts = workloads.flatMap(({ title, rate, peers }) =>
    peers.flatMap((peer) => [
      atLeast(
        `${title}: requests per second ÷ ${peer.title}`,
        peer.rate,
        { ...TARGETS.rate, ...rate }[peer.name],
      ),
      atMost(`${title}: CPU time per request ÷ ${peer.title}`, peer.cpu, TARGETS.cpu[peer.name]),
      atMost(`${title}: p99 at equal load ÷ ${peer.title}`, peer.p99, TARGETS.p99[peer.name]),
    ]),
  );
  const memory = process.memory && { median: process.memory };
  verdicts.push(atMost('start to ready ÷ by hand', process.start, TARGETS.start));
  verdicts.push(atMost('memory after a million requests ÷ by hand', memory, TARGETS.memory));
  return verdicts.filter(Boolean);
}

const atLeast = (what, ratio, target) => verdict(what, ratio, target, 'at least', ratio?.median >= target);
const atMost = (what, ratio, target) => verdict(what, ratio, target, 'at most', ratio?.median <= target);

/** Without a target or a measurement there is no verdict. */
function verdict(what, ratio, target, bound, isMet) {
  return ratio && target && { text: `${what}: ${ratio.median.toFixed(2)}, ${bound} ${target}`, isMet };
}
