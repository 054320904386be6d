import { afterEach, expect, it, jest } from '@jest/globals';
import { QuickestOfLate } from './quickest-of-late.js';

afterEach(() => void jest.restoreAllMocks());

it('is the quickest of a window and of the one before', () => {
  let now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const quickest = new QuickestOfLate(10_000);
  expect(quickest.ms).toBe(Infinity);
  const after = (passedMs: number, ms: number): number => {
    now += passedMs;
    quickest.add(ms);
    return quickest.ms;
  };
  expect([after(0, 5), after(1, 9), after(10_000, 8)]).toEqual([5, 5, 5]);
  expect([after(10_001, 9), after(20_001, 12)]).toEqual([8, 12]);
});
