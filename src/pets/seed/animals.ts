import { PET_STATUSES, type PetStatus } from '../pet-status.js';

export interface Animal {
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus | null;
}

const NAMES = [
  'Bella',
  'Rex',
  'Luna',
  'Max',
  'Nala',
  'Otto',
  'Kiwi',
  'Bruno',
  'Mimi',
  'Félix',
  '小白',
  '🐕 Rocky',
];
const BYNAMES = [
  '',
  ' the Elder',
  ' the Younger',
  ' the Brave',
  ' the Quiet',
  ' von Rosenhof',
  ' II',
  ' III',
];
const CATEGORIES = 50;

/** Made-up animals: the same seed makes the same ones, in the same order. */
export function* makeAnimals(count: number, seed: number): Generator<Animal> {
  const random = randomFrom(seed);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const statuses = [...PET_STATUSES, null];
  for (let i = 0; i < count; i++) {
    yield {
      name: oneOf(NAMES) + oneOf(BYNAMES),
      categoryId: 1 + Math.floor(random() * CATEGORIES),
      status: oneOf(statuses),
    };
  }
}

/** Numbers from 0 to 1, the same for the same seed on every machine, which Math.random does not promise. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // A Weyl sequence, scrambled: each step adds an odd constant, and the mixing spreads what changed over all bits.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
