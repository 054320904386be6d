import { describe, expect, it } from '@jest/globals';
import { withTimeout } from './with-timeout.js';

const never = new Promise<string>(() => {});

describe('withTimeout', () => {
  it('settles like the promise', async () => {
    expect(await withTimeout(Promise.resolve('a'), 60_000, () => 'late')).toBe('a');
    await expect(withTimeout(Promise.reject(new Error('no')), 60_000, () => 'late')).rejects.toThrow('no');
  });

  it('settles like onTimeout when the promise takes too long', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late');
    const fail = () => {
      throw new Error('too late');
    };
    await expect(withTimeout(never, 1, fail)).rejects.toThrow('too late');
  });
});
