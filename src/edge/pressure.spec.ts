import { describe, expect, it } from '@jest/globals';
import { Pressure, TICK_MS } from './pressure.js';

describe('Pressure', () => {
  it('is too high while the limit of open requests is reached', () => {
    const pressure = new Pressure(2);
    pressure.open = 1;
    expect(pressure.isTooHigh).toBe(false);
    pressure.open = 2;
    expect(pressure.isTooHigh).toBe(true);
    pressure.open = 1;
    expect(pressure.isTooHigh).toBe(false);
  });

  it('is too high after three late ticks of the event loop in a row, until one is on time', () => {
    const pressure = new Pressure(2);
    let now = 0;
    const tickAfter = (ms: number): boolean => {
      pressure.tick((now += ms));
      return pressure.isTooHigh;
    };
    const late = TICK_MS + 501;
    expect([TICK_MS, late, late].map(tickAfter)).toEqual([false, false, false]);
    expect(tickAfter(late)).toBe(true);
    expect(tickAfter(TICK_MS + 499)).toBe(false);
    expect([late, late, TICK_MS, late].map(tickAfter)).toEqual([false, false, false, false]);
  });

  it('reports the number of refused requests once', () => {
    const pressure = new Pressure(1);
    pressure.refused = 3;
    expect(pressure.takeRefused()).toBe(3);
    expect(pressure.takeRefused()).toBe(0);
    pressure.refused++;
    expect(pressure.takeRefused()).toBe(1);
  });
});
