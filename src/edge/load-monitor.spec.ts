import { describe, expect, it } from '@jest/globals';
import type { KeyLoad } from '../common/exchange.js';
import { LoadMonitor, TICK_MS } from './load-monitor.js';
import { Shares } from './shares.js';

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
    { keys: 2, networks: 1, inFlight: 144 },
    { keys: 100, networks: 1, inFlight: 168 },
    { keys: 2, networks: 2, inFlight: 154 },
    { keys: 20, networks: 20, inFlight: 188 },
    { keys: 60, networks: 60, inFlight: 191 },
    { keys: 84, networks: 84, inFlight: 208 },
    { keys: 128, networks: 128, inFlight: 224 },
    { keys: 250, networks: 250, inFlight: 250 },
  ])('gives $keys keys of $networks networks that take what they get $inFlight of 256 places', (crowd) => {
    const load = new LoadMonitor(256);
    const keys = Array.from({ length: crowd.keys }, () => ({ inFlight: 0 }));
    const takesOne = (key: KeyLoad, i: number): boolean => {
      try {
        new Shares(key, String(i % crowd.networks), load).take();
        return true;
      } catch {
        return false;
      }
    };
    while (keys.map(takesOne).includes(true));
    expect(load.byNetwork.total).toBe(crowd.inFlight);
  });

  it('has look-ups of unknown keys make the shares smaller', () => {
    const load = new LoadMonitor(256);
    expect(load.findTakenShare(100, 100)).toBeUndefined();
    for (let i = 0; i < 150; i++) load.lookUps.add('a network');
    expect(load.findTakenShare(100, 100)).toBe('key');
    expect(load.findTakenShare(2, 2)).toBeUndefined();
  });

  it.each([
    [192, 3],
    [208, 2],
    [224, 1],
  ])('with %i of 256 places taken lets a network look up %i keys', (taken, keys) => {
    const load = new LoadMonitor(256);
    for (let i = 0; i < taken; i++) load.byNetwork.add(`busy ${i % 8}`);
    let begun = 0;
    for (; load.mayLookUp('a network'); begun++) load.lookUps.add('a network');
    expect(begun).toBe(keys);
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
