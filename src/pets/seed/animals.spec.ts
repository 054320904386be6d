import { describe, expect, it } from '@jest/globals';
import { makeAnimals } from './animals.js';

describe('makeAnimals', () => {
  it('is determined by the seed', () => {
    const animals = [...makeAnimals(100, 7)];
    expect([...makeAnimals(100, 7)]).toEqual(animals);
    expect([...makeAnimals(100, 8)]).not.toEqual(animals);
  });

  it('yields the same first animals for any count', () => {
    expect([...makeAnimals(100, 7)].slice(0, 10)).toEqual([...makeAnimals(10, 7)]);
  });

  it('covers every status, category and name', () => {
    const animals = [...makeAnimals(1_000, 7)];
    const statuses = new Set(animals.map(({ status }) => status));
    expect(statuses).toEqual(new Set(['available', 'pending', 'sold', null]));
    expect(new Set(animals.map(({ categoryId }) => categoryId)).size).toBe(50);
    expect(new Set(animals.map(({ name }) => name)).size).toBe(96);
  });
});
