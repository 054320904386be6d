import type { DataSource } from 'typeorm';
import type { Animal } from './animals.js';

/** Short enough that requests on the embedded engine, which runs one transaction at a time, can wait for it. */
const BATCH = 1_000;

/** Adds the animals in batches: one statement each, with an array per column. */
export async function addAnimals(
  dataSource: DataSource,
  animals: Iterable<Animal>,
  progress: (added: number) => void,
): Promise<void> {
  let added = 0;
  for (const batch of inBatches(animals)) {
    await dataSource.query(
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
