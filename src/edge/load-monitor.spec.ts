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

  it('reports the number of refused requests once', () => {
    const load = new LoadMonitor(1);
    load.refused = 3;
    expect(load.takeRefused()).toBe(3);
    expect(load.takeRefused()).toBe(0);
    load.refused++;
    expect(load.takeRefused()).toBe(1);
  });
});
