import { parseArgs } from 'node:util';
import { commandName, runCommand, UsageError } from '../common/command.js';
import { withModule } from '../database/command.js';
import { DatabaseModule } from '../database/database.module.js';
import { Transactions } from '../database/transactions.js';
import { CreatePets1763683200000 } from './migrations/1763683200000-create-pets.js';
import { Pet } from './pet.entity.js';

const USAGE = `Sample animals, from the command line:

  ${commandName('seed', 'pets/seed.cli')} --count 100000 [--seed 1]
      adds that many sample animals to the configured database, also while the service runs.
      The same seed gives the same animals. An interrupted command adds none.`;

const INSERT = `
  INSERT INTO pets (name, category_id, status)
  SELECT
    (ARRAY['Bella', 'Rex', 'Luna', 'Max', 'Nala', 'Otto', 'Kiwi', 'Bruno', 'Mimi', 'Félix', '小白', '🐕 Rocky'])
      [1 + floor(random() * 12)] ||
    (ARRAY['', ' the Elder', ' the Younger', ' the Brave', ' the Quiet', ' von Rosenhof', ' II', ' III'])
      [1 + floor(random() * 8)],
    1 + floor(random() * 50),
    (ARRAY['available', 'pending', 'sold', NULL])[1 + floor(random() * 4)]
  FROM generate_series(1, $1::int)`;
/** Small enough for the time limit of a statement. */
const BATCH = 1_000;

await runCommand(USAGE, () => {
  const options = { count: { type: 'string', default: '' }, seed: { type: 'string', default: '1' } } as const;
  const { count, seed } = parseArgs({ options }).values;
  return addAnimals(whole('--count', count, 1, 10_000_000), whole('--seed', seed, 0, 2 ** 32 - 1));
});

function whole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`Say ${option} as a whole number from ${min} to ${max}, such as ${option} 1000.`);
}

function addAnimals(count: number, seed: number): Promise<string> {
  const table = DatabaseModule.forFeature([Pet], [CreatePets1763683200000]);
  return withModule(table, async (context) => {
    await context.get(Transactions).run(undefined, async (manager) => {
      await manager.query('SELECT setseed($1)', [seed / 2 ** 32]);
      for (let left = count; left > 0; left -= BATCH) await manager.query(INSERT, [Math.min(left, BATCH)]);
    });
    return `Added ${count} animals of seed ${seed}.`;
  });
}
