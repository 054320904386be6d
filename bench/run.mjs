// `npm run bench` measures the service and its peers in one run, interleaved; see docs/performance.md.
import { prepare } from '../scripts/prepare.mjs';
import { argumentsOf, giveUp, require, say } from '../scripts/support/programs.mjs';

const USAGE = `npm run bench [-- options]

  --quick          a minute, to see that it works: its figures do not count
  --rounds N       how many, 10 by default: a noisy machine needs more
  --only NAMES     workloads: page, status, one, create, keyed
  --against FILE   another build of the service, such as ../before/dist/main.js, instead of the peers
  --flat           10 thousand animals and 10 million, instead of the peers
  --write          publishes a trustworthy full run in docs/performance.md`;

const flag = { type: 'boolean' };
const value = { type: 'string' };
const OPTIONS = { quick: flag, rounds: value, only: value, against: value, flat: flag, write: flag, help: flag };

const options = argumentsOf(USAGE, { options: OPTIONS }).values;
if (options.help) giveUp(USAGE, 0);
const size = options.quick
  ? { rows: 100_000, many: 1_000_000, rounds: 1, seconds: 1, longRun: 0 }
  : { rows: 1_000_000, many: 10_000_000, rounds: 10, seconds: 1, longRun: 1_000_000 };
const rounds = Number(options.rounds ?? size.rounds);
if (!Number.isInteger(rounds) || rounds < 1) giveUp(USAGE);
const isWhole = rounds >= 10 && !options.quick && !options.flat && !options.only && !options.against;

require('wrk', 'wrk');
prepare();
const { prepareContestants } = await import('./contestants.mjs');
const { compare } = await import('./compare.mjs');
const { judge, table, write } = await import('./report.mjs');

const longRun = isWhole ? size.longRun : 0;
const outcome = await compare(prepareContestants(options), { ...options, ...size, rounds, longRun });
say(`\n${table(outcome)}`);
const problem = judge(outcome);
if (problem) say(problem);
else if (options.write && isWhole) write(outcome);
process.exit(problem && !options.quick ? 1 : 0);
