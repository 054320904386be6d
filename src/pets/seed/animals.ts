import { PET_STATUSES, type PetStatus } from '../pet-status.js';

export interface Animal {
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus | null;
}

const NAMES = 'Bella,Rex,Luna,Max,Nala,Otto,Kiwi,Bruno,Mimi,Félix,小白,🐕 Rocky'.split(',');
const EPITHETS = ', the Elder, the Younger, the Brave, the Quiet, von Rosenhof, II, III'.split(',');
const CATEGORIES = 50;

/** Generates sample animals. The same seed generates the same animals in the same order. */
export function* makeAnimals(count: number, seed: number): Generator<Animal> {
  const random = randomFrom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const statuses = [...PET_STATUSES, null];
  for (let i = 0; i < count; i++) {
    yield {
      name: pick(NAMES) + pick(EPITHETS),
      categoryId: 1 + Math.floor(random() * CATEGORIES),
      status: pick(statuses),
    };
  }
}

/** Returns a generator of numbers from 0 to 1. Math.random cannot be seeded. */
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
