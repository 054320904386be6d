import { parseArgs } from 'node:util';
import { giveUp } from '../scripts/support/say.mjs';
import { WORKLOADS } from './workloads.mjs';

/** What a run is about instead of the peers: a module, its option, and the question that it answers. */
const SUBJECTS = {
  large: 'Does all of this hold with 100 million animals? Takes 40 minutes and 40 GB of disk.',
  citus: 'What does a Citus cluster cost, where its nodes share the cores? (under npm run with-citus)',
  flat: 'Does a page cost the same with few and with many rows?',
  keyed: 'What does an Idempotency-Key cost a create?',
  standby: 'What do reads cost the primary beside a standby?',
  workers: 'What does WORKERS=2 bring, on all cores?',
};
const options = Object.keys(SUBJECTS);

const USAGE = `Usage: npm run bench [-- --quick] [-- --only <workload>] [-- --${options.join(' | --')}]

  --quick    a smoke test of about a minute; its figures mean nothing and are not written to docs/performance
  --only     one workload: ${WORKLOADS.map(({ name }) => name).join(', ')}
${options.map((name) => `  --${name.padEnd(8)} ${SUBJECTS[name]}`).join('\n')}`;

/** Uses several processes per contestant, because JIT compilation and GC make processes of one program differ. */
const FULL = {
  title: 'The full comparison takes about half an hour and needs an otherwise idle machine.',
  rows: 1_000_000,
  processes: 4,
  rounds: 6,
  seconds: 1,
  warmUpSeconds: 2,
  steadyRounds: 2,
  steadySeconds: 2,
  starts: 5,
  longRun: 1_000_000,
  flatRows: [10_000, 10_000_000],
  flatRounds: 9,
  largeRows: [10_000, 100_000_000],
  creates: { periods: 10, seconds: 60 },
  migrations: { seconds: 10 },
};

/** `inDepth` lists the workloads with a warm-up, a control and a phase at equal load; by default all. */
const QUICK = {
  title: 'The quick form is a smoke test; its figures mean nothing.',
  rows: 100_000,
  processes: 1,
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  steadyRounds: 1,
  steadySeconds: 1,
  starts: 1,
  longRun: 0,
  flatRows: [10_000, 1_000_000],
  flatRounds: 2,
  largeRows: [10_000, 100_000],
  creates: { periods: 2, seconds: 5 },
  migrations: { seconds: 3 },
  inDepth: ['page'],
};

/** Reads the command line. */
export function readForm(args) {
  const { quick, only, help, ...given } = parse(args);
  if (help) giveUp(USAGE);
  const workloads = WORKLOADS.filter(({ name }) => !only || name === only);
  if (workloads.length === 0) giveUp(`There is no workload ${only}.\n${USAGE}`);
  const form = quick ? QUICK : FULL;
  const subject = options.find((name) => given[name]) ?? 'comparison';
  const title = SUBJECTS[subject] ?? form.title;
  const inDepth = (!only && form.inDepth) || workloads.map(({ name }) => name);
  const longRun = only ? 0 : form.longRun;
  // Only a complete run may replace the published results.
  return { ...form, title, subject, workloads, inDepth, longRun, isWhole: !quick && !only };
}

function parse(args) {
  const boolean = { type: 'boolean', default: false };
  try {
    const subjects = Object.fromEntries(options.map((name) => [name, boolean]));
    const all = { ...subjects, quick: boolean, help: boolean, only: { type: 'string' } };
    return parseArgs({ args, options: all }).values;
  } catch (error) {
    return giveUp(`${error.message}\n${USAGE}`);
  }
}
