import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Availability } from './availability.js';

const lines: string[] = [];
let now = 0;
beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  for (const level of ['error', 'warn'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  jest.restoreAllMocks();
  lines.length = 0;
});

it('logs a reason that replaced the first one, once it has held for five seconds', () => {
  const availability = new Availability();
  const away = (reason: string, ms: number): void => {
    for (const end = now + ms; now < end; now += 500) availability.markAway(reason);
  };
  away('the database system is shutting down', 1_000);
  away('connect ECONNREFUSED', 3_000);
  away('password authentication failed', 5_000);
  expect(lines).toHaveLength(1);
  away('password authentication failed', 20_000);
  availability.markAvailable();
  expect(lines).toEqual([
    'The database is away; every request that needs it is refused until it is back: the database system is shutting down',
    'The database is still away: password authentication failed',
    'The database is back after 29.0 s.',
  ]);
  away('the server is read-only', 500);
  expect(lines[3]).toMatch(/until it is back: the server is read-only$/);
});

it('logs the same reason once, however long it holds', () => {
  const availability = new Availability();
  for (let i = 0; i < 100; i++, now += 500) availability.markAway('the server is read-only');
  expect(lines).toHaveLength(1);
});
