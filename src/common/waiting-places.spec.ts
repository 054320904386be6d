import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaitingPlaces } from './waiting-places.js';

describe('The places of those that wait', () => {
  let places: WaitingPlaces;
  let ended: string[];
  beforeEach(() => {
    places = new WaitingPlaces(3);
    ended = [];
  });
  const take = (group: string, name = group): (() => void) | undefined =>
    places.take(group, () => void ended.push(name));

  it('are all for one group while no other wants some', () => {
    expect([take('a'), take('a'), take('a')]).not.toContain(undefined);
    expect(take('a')).toBeUndefined();
    expect(ended).toEqual([]);
  });

  it('go to a group with fewer, from the newest of the one with the most', () => {
    for (const name of ['first', 'second', 'third']) take('a', name);
    expect(take('b')).toBeDefined();
    expect(ended).toEqual(['third']);
    expect(take('b')).toBeUndefined(); // two would be as many as the other has then
    expect(take('c')).toBeDefined();
    expect(ended).toEqual(['third', 'second']);
    expect(take('d')).toBeUndefined();
  });

  it('are free again once they are left, and only once', () => {
    const [first] = [take('a'), take('a'), take('a')];
    first?.();
    first?.();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('that were given up cannot be left', () => {
    const [, , third] = [take('a'), take('a'), take('a')];
    take('b');
    third?.();
    expect(take('a')).toBeUndefined();
  });
});
