import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Allowance } from './allowance.js';
import { RateLimiter } from './rate-limiter.js';

describe('RateLimiter without Redis', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const at = (now: number): void => void jest.spyOn(performance, 'now').mockReturnValue(now);
  const take = (limiter: RateLimiter, client = 'a') => limiter.take(client) as Allowance | undefined;

  it('allows as many requests as the limit, then refuses until the minute is over', () => {
    const limiter = new RateLimiter('requests', 2);
    const taken = [0, 100, 200].map((now) => {
      at(now);
      return take(limiter);
    });
    expect(taken.map((allowance) => allowance?.remaining)).toEqual([1, 0, 0]);
    for (const allowance of taken.slice(0, 2)) expect(() => allowance?.throwIfExceeded()).not.toThrow();
    expect(() => taken[2]?.throwIfExceeded()).toThrow('Too many requests. Try again in 60 seconds.');
    at(59_001);
    expect(() => take(limiter)?.throwIfExceeded()).toThrow('Too many requests. Try again in 1 seconds.');
    at(60_000);
    expect(take(limiter)?.remaining).toBe(1);
  });

  it('never reports a reset beyond the length of the window', () => {
    const limiter = new RateLimiter('requests', 2);
    const told = Array.from({ length: 1_000 }, (_, i) => {
      at(10_000 + i * 0.123_457);
      return take(limiter, `client ${i}`)?.resetSeconds;
    });
    expect(new Set(told)).toEqual(new Set([60]));
  });

  it('has no limit when the limit is 0', () => {
    expect(take(new RateLimiter('requests', 0))).toBeUndefined();
  });
});
