import { setImmediate as turn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { clockDifference, ClockWatch } from './clock-watch.js';

const SERVER = new Date('2026-11-22T10:00:00Z');

let local: number;
let error: ReturnType<typeof spyOn>;
let log: ReturnType<typeof spyOn>;
const query = jest.fn(async () => ({ rows: [{ seconds: `${SERVER.getTime() / 1_000}.000000` }] }));

function spyOn(method: 'error' | 'log') {
  return jest.spyOn(Logger.prototype, method).mockReturnValue();
}

beforeEach(() => {
  [error, log] = [spyOn('error'), spyOn('log')];
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  query.mockClear();
});

async function askAfterAMinute(watch: ClockWatch, seconds: number): Promise<void> {
  local = SERVER.getTime() + seconds * 1_000;
  jest.advanceTimersByTime(60_000);
  watch.ask({ query });
  await turn();
}

it('Clocks that differ are reported once, with what to do, and once they agree', async () => {
  const watch = new ClockWatch(() => local);
  for (const seconds of [-29, 29]) await askAfterAMinute(watch, seconds);
  expect(error).not.toHaveBeenCalled();
  for (const seconds of [-3_600, -3_601]) await askAfterAMinute(watch, seconds);
  expect(error.mock.calls).toEqual([
    [expect.stringMatching(/^The clock of this machine is 3600 s behind the database's: .* by NTP\.$/)],
  ]);
  await askAfterAMinute(watch, 1);
  expect(log).toHaveBeenCalledTimes(1);
  await askAfterAMinute(watch, 31);
  expect(error).toHaveBeenLastCalledWith(expect.stringContaining('31 s ahead of the database'));
});

it('Clocks are compared at most once a minute', async () => {
  const watch = new ClockWatch(() => local);
  await askAfterAMinute(watch, 0);
  watch.ask({ query });
  expect(query).toHaveBeenCalledTimes(1);
});

it.each([
  [-30, undefined],
  [7_199, '7199 s ahead of'],
  [-7_200, '2 hours behind'],
  [400 * 86_400, '400 days ahead of'],
])('A clock that differs by %d s is %s the database’s', (seconds, words) => {
  const rows = [{ seconds: '1000.5' }];
  const told = clockDifference(rows, 1_000_500 + seconds * 1_000);
  expect(told).toBe(words && `${words} the database's`);
});

it('Clocks that cannot be compared are not reported', async () => {
  const watch = new ClockWatch(() => local);
  query.mockRejectedValueOnce(new Error('Connection terminated'));
  await askAfterAMinute(watch, -3_600);
  expect(error).not.toHaveBeenCalled();
});
