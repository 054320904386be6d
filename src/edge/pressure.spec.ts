import { describe, expect, it } from '@jest/globals';
import { Pressure, TICK_MS } from './pressure.js';

describe('Pressure', () => {
  it('is too high while as many requests are open as may be', () => {
    const pressure = new Pressure(2);
    pressure.open = 1;
    expect(pressure.isTooHigh).toBe(false);
    pressure.open = 2;
    expect(pressure.isTooHigh).toBe(true);
    pressure.open = 1;
    expect(pressure.isTooHigh).toBe(false);
  });

  it('is too high when the event loop is late again and again, and not once it is in time', () => {
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

  it('tells once how many were refused', () => {
    const pressure = new Pressure(1);
    pressure.refused = 3;
    expect(pressure.takeRefused()).toBe(3);
    expect(pressure.takeRefused()).toBe(0);
    pressure.refused++;
    expect(pressure.takeRefused()).toBe(1);
  });
});
