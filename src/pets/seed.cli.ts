import { parseArgs } from 'node:util';
import { commandName, runCommand, UsageError } from '../database/command.js';

const SEED = commandName('seed', 'pets/seed.cli');

const USAGE = `Sample animals, from the command line:

  ${SEED} --count 100000 [--seed 1]
      adds that many sample animals to the configured database, also while the service runs.
      The same seed gives the same animals. An interrupted command leaves those that it has added.
`;

const OPTIONS = {
  count: { type: 'string' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

await runCommand(async () => {
  const { help, count, seed } = parse(process.argv.slice(2));
  if (help) return USAGE;
  if (count === undefined) throw new UsageError(`Say how many: ${SEED} --count 1000\n\n${USAGE}`);
  return add(whole('--count', count, 1, 10_000_000), whole('--seed', seed, 0, 2 ** 32 - 1));
});

/** Loads the application only for a valid command, so that mistakes are answered at once. */
async function add(count: number, seed: number): Promise<string> {
  const [{ withModule }, { DataSource }, { addAnimals, SampleAnimalsModule }] = await Promise.all([
    import('../database/command.js'),
    import('typeorm'),
    import('./sample-animals.js'),
  ]);
  return withModule(SampleAnimalsModule, async (context) => {
    const began = performance.now();
    await addAnimals(context.get(DataSource), count, seed, showProgress);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    return `Added ${count} animals of seed ${seed} in ${seconds} s.`;
  });
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const filled = Math.round((done / total) * 30);
  const bar = '█'.repeat(filled) + '░'.repeat(30 - filled);
  const numbers = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  process.stderr.write(`\r${bar} ${numbers}${done === total ? '\n' : ''}`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function whole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`Say ${option} as a whole number from ${min} to ${max}, such as ${option} 1000; not "${text}".`);
}
