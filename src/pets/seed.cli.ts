import { parseArgs } from 'node:util';
import { commandName, runCommand, UsageError } from '../common/command.js';

const USAGE = `Sample animals, from the command line:

  ${commandName('seed', 'pets/seed.cli')} --count 100000
      adds that many sample animals to the configured database, also while the service runs.
      They are the same each time. An interrupted command adds none.`;

const INSERT = `
  INSERT INTO pets (name, category_id, status)
  SELECT 'Animal ' || n, 1 + n % 50, (ARRAY['available', 'pending', 'sold', NULL])[1 + n % 4]
  FROM generate_series($1::int, $2::int) AS n`;
/** How many animals a statement adds: few enough for its time limit. */
const BATCH = 1_000;

await runCommand(USAGE, async () => {
  const { count } = parseArgs({ options: { count: { type: 'string', default: '' } } }).values;
  if (!/^[1-9]\d{0,6}$/.test(count))
    throw new UsageError('Say how many, as a whole number from 1 to 9999999, such as --count 1000.');
  // These take most of a second to load, which a mistake need not wait for.
  const { DataSource } = await import('typeorm');
  const { withModule } = await import('../database/command.js');
  const { DatabaseModule } = await import('../database/database.module.js');
  const { CreatePets1763683200000 } = await import('./migrations/1763683200000-create-pets.js');
  const { Pet } = await import('./pet.entity.js');
  const table = DatabaseModule.forFeature([Pet], [CreatePets1763683200000]);
  return withModule(table, async (context) => {
    await context.get(DataSource).transaction(async (manager) => {
      for (let done = 0; done < Number(count); done += BATCH)
        await manager.query(INSERT, [done + 1, Math.min(done + BATCH, Number(count))]);
    });
    return `Added ${count} animals.`;
  });
});
