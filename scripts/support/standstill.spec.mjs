import { describe, expect, it } from '@jest/globals';
import { despiteStandstill, isDisturbed, standstill } from './standstill.mjs';

const standStill = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('standstill', () => {
  it('is noted at once, and counts as far as it was in the time asked for', async () => {
    const from = performance.now();
    standStill(300);
    expect(standstill(from)).toBeGreaterThanOrEqual(299);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(standstill(from)).toBeGreaterThanOrEqual(299);
    expect(standstill(from + 100, from + 200)).toBeCloseTo(100);
    expect(standstill(0, from - 50)).toBe(0);
    expect(isDisturbed(from + 350, from + 360)).toBe(true);
  });

  it('lets what was refused during it be tried again', async () => {
    let attempts = 0;
    const attempt = async () => {
      if (++attempts === 1) standStill(300);
      return attempts === 1 ? 'refused' : 'done';
    };
    const outcome = await despiteStandstill(attempt, (result) => result === 'refused');
    expect([outcome, attempts]).toEqual(['done', 2]);
  });

  it('and nothing else', async () => {
    while (isDisturbed(performance.now())) await new Promise((resolve) => setTimeout(resolve, 50));
    let attempts = 0;
    const attempt = async () => (attempts++, 'refused');
    await despiteStandstill(attempt, () => true);
    expect(attempts).toBe(1);
  });
});
