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
    places.take({ group, giveUp: () => void ended.push(name) });

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

  it('of a group go to a member with fewer, and among equals to the lower rank', () => {
    const ranks: Record<string, number> = { low: 1, high: 2, none: 0 };
    const takeAs = (member: string): boolean => {
      const rank = (): number[] => [ranks[member] ?? 0];
      return !!places.take({ group: 'a', member, rank, giveUp: () => void ended.push(member) });
    };
    expect([takeAs('low'), takeAs('low'), takeAs('high')]).toEqual([true, true, true]);
    expect([takeAs('high'), takeAs('low')]).toEqual([false, false]);
    expect(takeAs('none')).toBe(true);
    expect(ended).toEqual(['low']);
    ranks['none'] = 3;
    expect(takeAs('other')).toBe(true);
    expect(ended).toEqual(['low', 'none']);
    take('b');
    expect(ended).toEqual(['low', 'none', 'high']);
  });

  it('of groups with as many go to the lower rank, if all have one', () => {
    const takeWith = (group: string, ...rank: number[]): boolean =>
      !!places.take({ group, rank: () => rank, giveUp: () => void ended.push(group) });
    expect([takeWith('a', 1, 1), takeWith('b', 1, 3), takeWith('c', 1, 2)]).toEqual([true, true, true]);
    expect(takeWith('d', 1, 3)).toBe(false);
    expect(take('e')).toBeUndefined();
    expect(takeWith('d', 1, 2)).toBe(true);
    expect(ended).toEqual(['b']);
    take('d');
    expect(ended).toEqual(['b']);
  });

  it.each([[['b', 'a', 'none']], [['b', 'none', 'a']], [['none', 'b', 'a']]])(
    'taken by %j, one without a rank, go to a rank between',
    (groups) => {
      const ranks: Record<string, number> = { a: 1, b: 5 };
      for (const group of groups) {
        const rank = ranks[group];
        places.take({
          group,
          ...(rank && { rank: () => [rank] }),
          giveUp: () => void ended.push(group),
        });
      }
      expect(places.take({ group: 'd', rank: () => [3], giveUp: () => {} })).toBeDefined();
      expect(ended).toEqual(['b']);
    },
  );

  it('count for a group alike, whether it has members or not', () => {
    const crowd = (member: string): boolean =>
      !!places.take({ group: 'crowd', member, giveUp: () => void ended.push(member) });
    places = new WaitingPlaces(3);
    take('key');
    take('key');
    crowd('x');
    expect(crowd('y')).toBe(false);
    expect(ended).toEqual([]);
  });

  it('of which another group has the most are still shared within the own one', () => {
    const takeAs = (group: string, member: string, rank: number): boolean =>
      !!places.take({ group, member, rank: () => [rank], giveUp: () => void ended.push(member) });
    places = new WaitingPlaces(4);
    expect([takeAs('a', 'x', 1), takeAs('a', 'y', 1), takeAs('b', 'x', 5), takeAs('b', 'z', 1)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(takeAs('a', 'quiet', 0)).toBe(true);
    expect(ended).toEqual(['y']);
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
