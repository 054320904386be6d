import { parseOptions } from '../../cli/parse-options.js';
import { commandName } from '../../cli/command-name.js';
import { UsageError } from '../../cli/usage-error.js';

const SEED = commandName('seed', 'pets/seed.cli');

export const USAGE = `Sample animals, from the command line:

  ${SEED} --count 100000 [--seed 1]
      adds that many sample animals to the configured database, also while the service runs.
      The same seed gives the same animals. An interrupted command leaves those that it has added.
`;

const OPTIONS = {
  count: { type: 'string' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;
const COUNT_MAX = 10_000_000;
const SEED_MAX = 2 ** 32 - 1;

export type SeedCommand = { readonly help: true } | { readonly count: number; readonly seed: number };

/** Parses the command line. Throws a `UsageError` that explains the first mistake. */
export function readSeedCommand(args: string[]): SeedCommand {
  const { help, count, seed } = parseOptions({ args, options: OPTIONS }, USAGE).values;
  if (help) return { help };
  if (count === undefined) throw new UsageError(`Say how many: ${SEED} --count 1000\n\n${USAGE}`);
  return { count: whole('--count', count, 1, COUNT_MAX), seed: whole('--seed', seed, 0, SEED_MAX) };
}

function whole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(
    `Say ${option} as a whole number from ${min} to ${max}, such as ${option} 1000; not "${text}".`,
  );
}
