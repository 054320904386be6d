import { Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { CreatePets1763683200000 } from './migrations/1763683200000-create-pets.js';
import { Pet, PET_STATUSES } from './pet.entity.js';

const NAMES = 'Bella,Rex,Luna,Max,Nala,Otto,Kiwi,Bruno,Mimi,Félix,小白,🐕 Rocky'.split(',');
const EPITHETS = ', the Elder, the Younger, the Brave, the Quiet, von Rosenhof, II, III'.split(',');
const CATEGORIES = 50;
const BATCH = 1_000;

/** The table of animals alone. */
@Module({ imports: [DatabaseModule.forFeature([Pet], [CreatePets1763683200000])] })
export class SampleAnimalsModule {}

/** The same seed adds the same animals in the same order. */
export async function addAnimals(
  dataSource: DataSource,
  count: number,
  seed: number,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const random = randomFrom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const animal = () => [
    pick(NAMES) + pick(EPITHETS),
    1 + Math.floor(random() * CATEGORIES),
    pick([...PET_STATUSES, null]),
  ];
  for (let done = 0; done < count;) {
    const rows = Array.from({ length: Math.min(BATCH, count - done) }, animal);
    await dataSource.query(
      `INSERT INTO pets (name, category_id, status)
       SELECT name, category_id, status
       FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS batch (name, category_id, status, place)
       ORDER BY place`,
      [0, 1, 2].map((column) => rows.map((row) => row[column])),
    );
    progress((done += rows.length), count);
  }
}

/** Numbers from 0 to 1. Math.random cannot be seeded. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // A Weyl sequence: each step adds an odd constant, and the mixing spreads the change over all bits.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
