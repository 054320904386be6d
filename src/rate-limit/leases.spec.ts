import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Leases } from './leases.js';
import { Permits, type PermitRequest } from './permits.js';

describe('Leases', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const at = (now: number): void => void jest.spyOn(performance, 'now').mockReturnValue(now);

  /** Workers that share a limit, and what they asked for. */
  function workers(count: number, limit: number) {
    const permits = new Permits(count);
    const asked: PermitRequest[] = [];
    const ask = async (request: PermitRequest) => {
      asked.push(request);
      await new Promise(setImmediate);
      return permits.grant(request);
    };
    return { asked, leases: Array.from({ length: count }, () => new Leases('requests', limit, ask)) };
  }

  it.each([1, 2, 7, 300, 1_000])('permit exactly %d of the requests that come at once', async (limit) => {
    at(0);
    const { leases } = workers(2, limit);
    const all = Array.from({ length: 2 * limit + 10 }, async (_, i) => leases[i % 2]!.take('a', 0));
    const taken = await Promise.all(all);
    expect(taken.filter(({ left }) => left >= 0)).toHaveLength(limit);
    expect(new Set(taken.map(({ endsAt }) => endsAt))).toEqual(new Set([60_000]));
  });

  it('never permit more than the limit, and nearly all of it to the last worker that needs it', async () => {
    at(0);
    const { asked, leases } = workers(4, 60_000);
    for (const lease of leases.slice(1)) await lease.take('a', 0);
    let permitted = 0;
    while ((await leases[0]!.take('a', 0)).left >= 0) permitted++;
    expect(permitted).toBeLessThanOrEqual(60_000 - 3);
    expect(permitted).toBeGreaterThan(0.97 * 60_000);
    expect(asked.length).toBeLessThan(1_500);
  });

  it('answer without a promise while a permit is at hand, and once there is none for anyone', async () => {
    at(0);
    const { asked, leases } = workers(1, 100);
    const [only] = leases;
    expect(await only!.take('a', 0)).toEqual({ left: 99, endsAt: 60_000 });
    expect(only!.take('a', 0)).toEqual({ left: 98, endsAt: 60_000 });
    while ((await only!.take('a', 0)).left >= 0);
    const messages = asked.length;
    expect(only!.take('a', 59_999)).toEqual({ left: -1, endsAt: 60_000 });
    expect(asked).toHaveLength(messages);
  });

  it('begin again in the next window, and count each client alone', async () => {
    at(0);
    const { leases } = workers(2, 1);
    expect((await leases[0]!.take('a', 0)).left).toBe(0);
    expect((await leases[1]!.take('a', 0)).left).toBe(-1);
    expect((await leases[1]!.take('b', 0)).left).toBe(0);
    at(60_000);
    expect(await leases[1]!.take('a', 60_000)).toEqual({ left: 0, endsAt: 120_000 });
  });
});
