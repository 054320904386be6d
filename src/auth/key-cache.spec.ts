import { expect, it } from '@jest/globals';
import type { ApiKey } from './api-key.entity.js';
import { KeyCache } from './key-cache.js';

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

it('shows a name that was stored with invisible characters so that they are visible, in logs and metrics', async () => {
  const stored: Partial<ApiKey> = { id: 1n, originId: null, name: 'team\u202ex\n' };
  const cache = new KeyCache(() => Promise.resolve(stored as ApiKey));
  expect((await cache.find('AAAA'))?.name).toBe(String.raw`team\u202ex\u000a`);
});
