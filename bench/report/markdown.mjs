import { isPinned } from '../processes.mjs';

/** The results as a page of docs/performance, without the title and the notes around them. */
export function comparisonPage({ workloads, process }, machine, form) {
  return [
    '# Results',
    `Made by \`npm run bench\`, which writes this page. ${machine}`,
    `${form.rows.toLocaleString('en')} animals; ${form.processes} processes for each line, one after the other, with ${form.rounds} rounds of ` +
      `${form.seconds} s each, interleaved; ` +
      'each figure is the median of the rounds, with the lowest and the highest beside it. The ratios are the result; ' +
      `the rest is context. ${pinning} [How it is measured](README.md).`,
    '![Requests per second as ratios to the peer written by hand](chart.svg)',
    ...workloads.flatMap(workloadSection),
    '## The process',
    processTable(process),
  ].join('\n\n');
}

const pinning = isPinned
  ? 'The application has core 0, PostgreSQL and the load share core 1.'
  : 'There is one core, and everything shares it.';

function workloadSection({ title, lines, toDefault, cpu, control, steady }) {
  const rows = lines.map((line) => [
    line.title,
    spread(line.perSecond, 0),
    spread(line.toHand, 2),
    line.p50.toFixed(1),
    line.p99.toFixed(1),
    spread(line.cpu, 3),
  ]);
  const head = ['', 'requests/s', '÷ by hand', 'p50 ms', 'p99 ms', 'CPU ms per request'];
  const notes = [
    `The service ÷ by default: ${spread(toDefault, 2)}. CPU time ÷ by hand: ${spread(cpu, 2)}.`,
    control && `The service ÷ itself: ${spread(control, 2)}.`,
    steady &&
      `At the same ${steady.perSecond} requests/s: p99 ${steady.ours.toFixed(1)} ms, by hand ` +
        `${steady.theirs.toFixed(1)} ms, ratio ${spread(steady.ratio, 2)}.`,
  ];
  const [first, ...rest] = title;
  return [`## ${first.toUpperCase()}${rest.join('')}`, table(head, rows), notes.filter(Boolean).join(' ')];
}

function processTable({ lines, start, memory }) {
  const rows = lines.map((line) => [
    line.title,
    spread(line.start, 0),
    line.peakMemory.toFixed(0),
    line.memoryAfterAMillion?.toFixed(0) ?? '–',
  ]);
  const ratio = memory ? ` Memory after a million requests ÷ by hand: ${memory.toFixed(2)}.` : '';
  return [
    table(['', 'start to ready, ms', 'peak memory, MB', 'after a million requests, MB'], rows),
    `Start to ready ÷ by hand: ${spread(start, 2)}.${ratio}`,
  ].join('\n\n');
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** The middle, and in brackets the lowest and the highest. */
export const spread = ({ median, low, high }, digits) =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
