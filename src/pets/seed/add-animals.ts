import type { DataSource } from 'typeorm';
import type { Animal } from './animals.js';

const BATCH = 5_000;

/** Adds all animals in one transaction. Each batch is one statement with an array per column. */
export async function addAnimals(
  dataSource: DataSource,
  animals: Iterable<Animal>,
  progress: (added: number) => void,
): Promise<void> {
  await dataSource.transaction(async (manager) => {
    let added = 0;
    for (const batch of inBatches(animals)) {
      await manager.query(
        `INSERT INTO pets (name, category_id, status)
         SELECT name, category_id, status
         FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS batch (name, category_id, status, place)
         ORDER BY place`,
        [
          batch.map(({ name }) => name),
          batch.map(({ categoryId }) => categoryId),
          batch.map(({ status }) => status),
        ],
      );
      progress((added += batch.length));
    }
  });
}

function* inBatches<T>(values: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const value of values) {
    batch.push(value);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
