import { afterEach, expect, it, jest } from '@jest/globals';
import type { Connection } from 'pg';
import { TimeoutSafeClient } from './timeout-safe-client.js';

afterEach(() => void jest.useRealTimers());

it.each([
  ['settings of its role', '42501', 2_000],
  ['types that a function uses', '42804', 10_000],
])('A connection whose session may have %s as they were is replaced, unless it is new', (_, code, ms) => {
  jest.useFakeTimers({ now: 0 });
  const refuse = (): boolean => {
    const { connection } = client as unknown as { connection: Connection };
    connection.emit('refusal', { code });
    return client.isOutdated;
  };
  const client = new TimeoutSafeClient();
  jest.advanceTimersByTime(ms);
  expect(refuse()).toBe(false);
  jest.advanceTimersByTime(1);
  expect(refuse()).toBe(true);
});
