import { sameAnimal } from './animal-writers.mjs';

/** Counts what the journal of the clients and the stored animals contradict each other in. */
export async function compareAnimals(journal, animals) {
  const byId = new Map(animals.map((animal) => [animal.id, animal]));
  const names = new Set(animals.map(({ name }) => name));
  const acknowledgedIds = new Set();
  let [lost, altered, twice, invalidStored, refusedStored] = [0, 0, animals.length - byId.size, 0, 0];
  for await (const animal of journal.read('acknowledged')) {
    const stored = byId.get(animal.id);
    if (!stored) lost++;
    else if (!animal.echoed || !sameAnimal(stored, animal)) altered++;
    if (acknowledgedIds.has(animal.id)) twice++;
    acknowledgedIds.add(animal.id);
  }
  for await (const { name } of journal.read('invalid')) if (names.has(name)) invalidStored++;
  for await (const { name } of journal.read('refused')) if (names.has(name)) refusedStored++;
  return {
    lost,
    altered,
    'duplicate ids': twice,
    'stored though invalid': invalidStored,
    'stored though answered 503 without "outcome is unknown"': refusedStored,
  };
}
