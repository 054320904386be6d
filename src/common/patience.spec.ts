import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { giveUpAfter } from './patience.js';

/** In this turn of the event loop, so that timers are next. */
async function pause(ms: number): Promise<void> {
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('giveUpAfter', () => {
  it('gives up', async () => {
    await expect(new Promise<void>((resolve) => void giveUpAfter(20, resolve))).resolves.toBeUndefined();
  });

  it.each([
    ['in the next turn, after a short pause', 60, setImmediate],
    ['soon, after a long one', 250, (cancel: () => void) => setTimeout(cancel, 10)],
  ])('does not if it is cancelled %s of the process', async (_, pausedMs, soon) => {
    const giveUp = jest.fn();
    const cancel = giveUpAfter(20, giveUp);
    await pause(pausedMs);
    soon(cancel);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(giveUp).not.toHaveBeenCalled();
  });
});
