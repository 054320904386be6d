import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import type { ApiKey } from './api-key.entity.js';
import { CACHE_MS, KeyCache, MAX_CACHED } from './key-cache.js';

it('a key and its successors have one share of the requests, other keys their own', async () => {
  const keys: Record<string, Partial<ApiKey>> = {
    AAAA: { id: 1n, originId: null, name: 'a' },
    BBBB: { id: 2n, originId: 1n, name: 'a' },
    CCCC: { id: 3n, originId: null, name: 'a' },
  };
  const cache = new KeyCache((hash) => Promise.resolve(keys[hash.toString('base64')] as ApiKey));
  const [first, successor, other] = await Promise.all(
    ['AAAA', 'BBBB', 'CCCC'].map((hash) => cache.find(hash)),
  );
  expect(successor?.load).toBe(first?.load);
  expect(other?.load).not.toBe(first?.load);
});

it('a key that is in use keeps its share beside more keys than are remembered', async () => {
  let id = 0n;
  const cache = new KeyCache((hash) => {
    const own = hash.toString('base64') === 'used' ? 0n : ++id;
    return Promise.resolve({ id: own, originId: null, name: 'a' } as ApiKey);
  });
  const first = await cache.find('used');
  for (let i = 0; i < MAX_CACHED; i++) {
    await cache.find(Buffer.from(String(i)).toString('base64'));
    cache.get('used');
  }
  await delay(10); // the cache remembers the time for a moment
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + CACHE_MS + 1);
  expect(cache.get('used')).toBeUndefined();
  expect((await cache.find('used'))?.load).toBe(first?.load);
  jest.restoreAllMocks();
});

it('shows a name that was stored with invisible characters so that they are visible, in logs and metrics', async () => {
  const stored: Partial<ApiKey> = { id: 1n, originId: null, name: 'team\u202ex\n' };
  const cache = new KeyCache(() => Promise.resolve(stored as ApiKey));
  expect((await cache.find('AAAA'))?.name).toBe(String.raw`team\u202ex\u000a`);
});
