import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root, say } from '../scripts/support/programs.mjs';

export const WORKLOADS = {
  page: 'a page of 20 at a random position',
  status: '100 of a status',
  one: 'one animal',
  create: 'a create',
  keyed: 'a create with Idempotency-Key',
};

/** By how much the service may differ from itself in a run that counts. */
const MOST_DIFFERENCE = 0.05;

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of the ratios of each round, since a disturbance affects what is measured at the same time. */
const ratioOf = (some, others, figure) => median(some.map((one, round) => one[figure] / others[round][figure]));
const middleOf = (results, figure) => median(results.map((one) => one[figure])).toFixed(0);

/** Ratios of the service to the others in Markdown: of requests a second, and of processor time. */
export function table({ contestants: [service, ...others], workloads }) {
  const rows = workloads.map((workload) => {
    const own = service.measured[workload];
    const toOthers = others.map(({ name, measured }) => {
      const their = measured[workload];
      if (workload === 'keyed' && name === 'by hand')
        return `${ratioOf(own, service.measured.create ?? own, 'rate').toFixed(2)} of one without`;
      return their ? ['rate', 'cpu'].map((figure) => ratioOf(own, their, figure).toFixed(2)).join('; ') : '';
    });
    const figures = `${middleOf(own, 'rate')}; ${middleOf(own, 'cpu')} µs; ${middleOf(own, 'p99')} ms`;
    return [WORKLOADS[workload] ?? workload, figures, ...toOthers];
  });
  const addRow = (title, unit, figure) => {
    const toOthers = others.map((one) => figure(service) / figure(one));
    const shown = toOthers.map((ratio) => (ratio ? ratio.toFixed(2) : ''));
    rows.push([title, `${figure(service).toFixed(0)} ${unit}`, ...shown]);
  };
  addRow('start to ready', 'ms', ({ starts }) => median(starts));
  if (service.memory) addRow('memory after a million requests', 'MiB', ({ memory }) => memory?.at(-1));
  const heads = ['', 'requests/s; processor; p99', ...others.map(({ name }) => `÷ ${name}`)];
  return [heads, heads.map((_, i) => (i ? '--:' : '---')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** What keeps the figures from counting: the same program twice was not equally fast. */
export function judge({ contestants, workloads }) {
  const control = contestants.find(({ name }) => name === 'control');
  if (!control) return undefined;
  const differing = workloads
    .map((workload) => [workload, ratioOf(contestants[0].measured[workload], control.measured[workload], 'rate')])
    .filter(([, ratio]) => Math.abs(ratio - 1) > MOST_DIFFERENCE)
    .map(([workload, ratio]) => `${workload} ${ratio.toFixed(2)}`);
  return differing.length > 0 && `The figures do not count: the service ÷ itself is ${differing.join(', ')}.`;
}

/** Replaces what follows the mark in docs/performance.md. */
export function write(outcome) {
  const page = join(root, 'docs', 'performance.md');
  const contestants = outcome.contestants.filter(({ name }) => name !== 'control');
  const [before, , after] = readFileSync(page, 'utf8').split(/<!-- (?:begin|end) of the results -->/);
  const revision = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' }).trim();
  const machine = `${new Date().toISOString().slice(0, 10)}, ${revision}, ${cpus()[0].model}, Node.js ${process.versions.node}`;
  const results = `\n\n${table({ ...outcome, contestants })}\n\n${machine}; ${outcome.rounds} rounds of ${outcome.seconds} s.\n\n`;
  writeFileSync(page, `${before}<!-- begin of the results -->${results}<!-- end of the results -->${after}`);
  execFileSync('npx', ['prettier', '--write', page], { cwd: root });
  say('written: docs/performance.md');
}
