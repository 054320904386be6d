import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ApiKey } from './api-key.entity.js';
import { CACHE_MS, KeyCache } from './key-cache.js';

describe('KeyCache', () => {
  it('keeps the counter of a key that is looked up again', async () => {
    const keys = new KeyCache(() => Promise.resolve({ name: 'tests' } as ApiKey));
    const first = await keys.find('hash');
    await delay(CACHE_MS + 50);
    const second = await keys.find('hash');
    expect(keys.misses).toBe(2);
    expect(second?.load).toBe(first?.load);
  });
});
