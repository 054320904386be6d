import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { despiteStandstill, isDisturbed, standstill } from './standstill.mjs';

/** Stops this process, with all its threads. */
async function standStill(seconds) {
  const signals = `kill -STOP ${process.pid}; sleep ${seconds}; kill -CONT ${process.pid}`;
  await once(spawn('sh', ['-c', signals]), 'exit');
}

async function untilUndisturbed() {
  while (isDisturbed(performance.now())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('standstill', () => {
  it('is noted at once, as far as it was in the time asked for', async () => {
    const from = performance.now();
    await standStill(0.5);
    const to = performance.now();
    expect(standstill(from, to)).toBeGreaterThan(300);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(standstill(from, to)).toBeGreaterThan(300);
    expect(isDisturbed(to + 100, to + 200)).toBe(true);
  });

  it('is not that of one thread which is busy', async () => {
    await untilUndisturbed();
    const from = performance.now();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(standstill(from)).toBe(0);
  });

  it('lets what was refused during it be tried again', async () => {
    let attempts = 0;
    const attempt = async () => {
      if (++attempts === 1) await standStill(0.5);
      return attempts === 1 ? 'refused' : 'done';
    };
    const outcome = await despiteStandstill(attempt, (result) => result === 'refused');
    expect([outcome, attempts]).toEqual(['done', 2]);
  });

  it('and nothing else', async () => {
    await untilUndisturbed();
    let attempts = 0;
    const attempt = async () => (attempts++, 'refused');
    await despiteStandstill(attempt, () => true);
    expect(attempts).toBe(1);
  });
});
