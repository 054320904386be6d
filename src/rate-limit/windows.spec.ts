import { beforeEach, describe, expect, it } from '@jest/globals';
import { Windows } from './windows.js';

describe('Windows', () => {
  let windows: Windows;
  beforeEach(() => {
    windows = new Windows(1000, 2);
  });
  const countOf = (client: string, now: number): number => windows.count(client, now).count;

  it('count each client on its own, from its first time on', () => {
    expect([countOf('a', 0), countOf('a', 999), countOf('b', 500)]).toEqual([1, 2, 1]);
    expect(windows.count('a', 999).endsAt).toBe(1000);
    expect(windows.count('b', 999).endsAt).toBe(1500);
  });

  it('begin anew when they are over, and are not made longer by who goes on', () => {
    for (let now = 0; now < 1000; now += 10) countOf('a', now);
    expect(countOf('a', 1000)).toBe(1);
    expect(windows.count('a', 1001).endsAt).toBe(2000);
  });

  it('are forgotten when there are too many, that of who was here longest ago first', () => {
    for (const client of ['a', 'b', 'a', 'c']) countOf(client, 0);
    expect(countOf('a', 1)).toBe(3);
    expect(countOf('b', 1)).toBe(1);
  });
});
