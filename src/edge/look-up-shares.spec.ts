import { beforeEach, describe, expect, it } from '@jest/globals';
import { LoadMonitor } from './load-monitor.js';
import { LookUpShares } from './look-up-shares.js';

const PLACES = 8;

describe('The look-ups of a network', () => {
  let load: LoadMonitor;
  let shares: LookUpShares;
  let ends: (() => void)[];
  let begun: string[];
  beforeEach(() => {
    load = new LoadMonitor(PLACES);
    ends = [];
    begun = [];
    shares = new LookUpShares(load, PLACES);
  });

  let keys = 0;
  const begin = async (
    network: string,
    outcome: () => void = () => {},
    key = String(keys++),
  ): Promise<void> => {
    load.inFlight++;
    try {
      await shares.run(network, key, () => {
        begun.push(network);
        return new Promise<void>((resolve) => ends.push(resolve)).then(outcome);
      });
    } finally {
      load.inFlight--;
    }
  };
  /** How many of so many requests at once are admitted. */
  const admitted = async (network: string, requests: number): Promise<number> => {
    const before = ends.length;
    for (let i = 0; i < requests; i++) {
      begin(network).catch(() => {});
      await new Promise(setImmediate);
    }
    return ends.length - before;
  };
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0)) end();
    await new Promise(setImmediate);
  };

  it('leave room for those of others', async () => {
    expect(await admitted('a', PLACES)).toBe(5);
    expect(await admitted('b', PLACES)).toBe(2);
    expect(await admitted('c', 1)).toBe(1);
  });

  it('are refused with what to do', async () => {
    await admitted('a', 5);
    await expect(begin('a')).rejects.toMatchObject({
      status: 503,
      message: 'Too many keys of this network are being looked up. Try again in a second.',
    });
  });

  it('have their places again once they end, however they end', async () => {
    await admitted('a', 5);
    await endAll();
    const failing = begin('a', () => {
      throw new Error('no such key');
    });
    await endAll();
    await expect(failing).rejects.toThrow('no such key');
    expect(await admitted('a', PLACES)).toBe(5);
  });

  it('run a few at once, in turn with those of other networks', async () => {
    shares = new LookUpShares(load, 2);
    expect(await admitted('a', 4)).toBe(2);
    expect(await admitted('b', 1)).toBe(0);
    for (let ended = 0; ended < 2; ended++) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
  });

  it('share one turn if they are for the same key', async () => {
    shares = new LookUpShares(load, 1);
    const all = ['x', 'x', 'x'].map((key) => begin('a', () => {}, key));
    await new Promise(setImmediate);
    expect(begun).toHaveLength(3);
    ends.shift()?.();
    await new Promise(setImmediate);
    expect(await admitted('b', 1)).toBe(0); // until the last one ends
    await endAll();
    await Promise.all(all);
    expect(begun).toEqual(['a', 'a', 'a', 'b']);
  });

  it('are refused at once while those of many networks wait', async () => {
    shares = new LookUpShares(load, 1);
    await admitted('a', 1);
    for (let i = 0; i < 24; i++) begin(`network ${i}`).catch(() => {});
    const outcome = begin('one more').catch(({ message }: Error) => message);
    const first = await Promise.race([outcome, new Promise((resolve) => setImmediate(resolve, 'it waits'))]);
    expect(first).toBe('Too many keys are being looked up. Try again in a second.');
  });

  it('are refused after a while without a turn', async () => {
    shares = new LookUpShares(load, 1);
    await admitted('a', 1);
    await expect(begin('b')).rejects.toMatchObject({
      status: 503,
      message: 'Too many keys are being looked up. Try again in a second.',
    });
  });

  it('are admitted two at a time where there is one place only', async () => {
    load.inFlight = PLACES - 1;
    expect(await admitted('a', 2)).toBe(2);
  });
});
