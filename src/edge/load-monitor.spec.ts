import { describe, expect, it } from '@jest/globals';
import { LoadMonitor, TICK_MS } from './load-monitor.js';

describe('LoadMonitor', () => {
  it('reports overload while the limit of requests in flight is reached', () => {
    const load = new LoadMonitor(2);
    load.inFlight = 1;
    expect(load.isOverloaded).toBe(false);
    load.inFlight = 2;
    expect(load.isOverloaded).toBe(true);
    load.inFlight = 1;
    expect(load.isOverloaded).toBe(false);
  });

  it('reports overload after three late ticks in a row, until one is on time', () => {
    const load = new LoadMonitor(2);
    let now = 0;
    const tickAfter = (ms: number): boolean => {
      load.tick((now += ms));
      return load.isOverloaded;
    };
    const late = TICK_MS + 501;
    expect([TICK_MS, late, late].map(tickAfter)).toEqual([false, false, false]);
    expect(tickAfter(late)).toBe(true);
    expect(tickAfter(TICK_MS + 499)).toBe(false);
    expect([late, late, TICK_MS, late].map(tickAfter)).toEqual([false, false, false, false]);
  });

  it.each([
    { keys: 1, networks: 1, inFlight: 128 },
    { keys: 100, networks: 1, inFlight: 144 },
    { keys: 2, networks: 2, inFlight: 153 },
    { keys: 20, networks: 20, inFlight: 187 },
    { keys: 60, networks: 60, inFlight: 190 },
    { keys: 84, networks: 84, inFlight: 252 },
  ])('gives $keys keys of $networks networks that take what they get $inFlight of 256 places', (crowd) => {
    const load = new LoadMonitor(256);
    const shares = { key: Array<number>(crowd.keys).fill(0), network: Array<number>(crowd.networks).fill(0) };
    const takeOne = (one: number): boolean => {
      const network = one % crowd.networks;
      load.inFlight++; // as a request does when it arrives
      const isRefused =
        load.isShareTaken('key', shares.key[one]!) || load.isShareTaken('network', shares.network[network]!);
      if (isRefused) load.inFlight--;
      else {
        shares.key[one]!++;
        shares.network[network]!++;
      }
      return !isRefused;
    };
    for (let hasTaken = true; hasTaken;) hasTaken = shares.key.map((_, one) => takeOne(one)).includes(true);
    expect(load.inFlight).toBe(crowd.inFlight);
  });

  it('reports once how many requests were refused for each reason', () => {
    const load = new LoadMonitor(1);
    for (const reason of ['a', 'b', 'a']) load.refuse(reason);
    expect(load.takeRefusals()).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    expect(load.takeRefusals()).toEqual(new Map());
    load.refuse('a');
    expect(load.takeRefusals()).toEqual(new Map([['a', 1]]));
    expect(load.refused).toBe(4);
  });
});
