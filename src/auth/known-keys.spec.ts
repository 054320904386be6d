import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { ApiKey } from './api-key.entity.js';
import { KNOWN_MS, KnownKeys } from './known-keys.js';

it('keeps the counter of a key when it is looked up again', async () => {
  const keys = new KnownKeys(() => Promise.resolve({ name: 'tests' } as ApiKey));
  const first = await keys.find('hash');
  await delay(KNOWN_MS + 50);
  const second = await keys.find('hash');
  expect(keys.misses).toBe(2);
  expect(second?.underWay).toBe(first?.underWay);
});
