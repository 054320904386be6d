import { afterEach, expect, it, jest } from '@jest/globals';
import type { Connection } from 'pg';
import { TimeoutSafeClient } from './timeout-safe-client.js';

afterEach(() => void jest.useRealTimers());

it('A connection whose session may have settings of its role as they were is replaced, unless it is new', () => {
  jest.useFakeTimers({ now: 0 });
  const refuse = (): boolean => {
    const { connection } = client as unknown as { connection: Connection };
    connection.emit('refusal', { code: '42501' });
    return client.isOutdated;
  };
  const client = new TimeoutSafeClient();
  jest.advanceTimersByTime(2_000);
  expect(refuse()).toBe(false);
  jest.advanceTimersByTime(1);
  expect(refuse()).toBe(true);
});
