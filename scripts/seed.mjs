// Adds sample animals to the configured database, the same each time. If it is interrupted, it adds none.
import { DataSource } from 'typeorm';
import { argumentsOf, giveUp, say } from './support/programs.mjs';

const USAGE = 'Say how many, as a whole number from 1 to 9999999: npm run seed -- --count 1000';
const INSERT = `
  INSERT INTO pets (name, category_id, status)
  SELECT 'Animal ' || n, 1 + n % 50, (ARRAY['available', 'pending', 'sold', NULL])[1 + n % 4]
  FROM generate_series($1::int, $2::int) AS n`;
const BATCH = 1_000; // few enough for the time limit of a statement

const { count } = argumentsOf(USAGE, { options: { count: { type: 'string', default: '' } } }).values;
if (!/^[1-9]\d{0,6}$/.test(count)) giveUp(USAGE);
const { withModule } = await import('../dist/database/command.js');
const { DatabaseModule } = await import('../dist/database/database.module.js');
const { CreatePets1763683200000 } = await import('../dist/pets/migrations/1763683200000-create-pets.js');
const { Pet } = await import('../dist/pets/pet.entity.js');
const add = async (manager) => {
  for (let done = 0; done < Number(count); done += BATCH)
    await manager.query(INSERT, [done + 1, Math.min(done + BATCH, Number(count))]);
};
const table = DatabaseModule.forFeature([Pet], [CreatePets1763683200000]);
await withModule(table, (context) => context.get(DataSource).transaction(add)).catch(({ message }) => giveUp(message));
say(`Added ${count} animals.`);
