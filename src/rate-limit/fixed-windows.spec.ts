import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedWindows } from './fixed-windows.js';

describe('FixedWindows', () => {
  let windows: FixedWindows;
  beforeEach(() => {
    windows = new FixedWindows(1000, 2);
  });
  const countOf = (client: string, now: number): number => windows.count(client, now).count;

  it('count each client separately, from its first request', () => {
    expect([countOf('a', 0), countOf('a', 999), countOf('b', 500)]).toEqual([1, 2, 1]);
    expect(windows.count('a', 999).endsAt).toBe(1000);
    expect(windows.count('b', 999).endsAt).toBe(1500);
  });

  it('start again when they end, and are not extended by further requests', () => {
    for (let now = 0; now < 1000; now += 10) countOf('a', now);
    expect(countOf('a', 1000)).toBe(1);
    expect(windows.count('a', 1001).endsAt).toBe(2000);
  });

  it('evict the least recently used client when there are too many', () => {
    for (const client of ['a', 'b', 'a', 'c']) countOf(client, 0);
    expect(countOf('a', 1)).toBe(3);
    expect(countOf('b', 1)).toBe(1);
  });
});
