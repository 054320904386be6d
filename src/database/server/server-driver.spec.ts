import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { Availability } from '../availability.js';
import { DatabaseOutage } from '../database-errors.js';
import { serverDriver } from './server-driver.js';

const refusal = new Error('unable to verify the first certificate');
let availability: Availability;
let refuse: (error: Error) => void;
beforeEach(() => {
  availability = new Availability();
  jest.spyOn(availability as unknown as { logAway: () => void }, 'logAway').mockImplementation(() => {});
  jest
    .spyOn(pg.Client.prototype, 'connect')
    .mockImplementation(((callback: typeof refuse) => (refuse = callback)) as never);
});
afterEach(() => void jest.restoreAllMocks());

it.each([
  ['while it starts, as the server or TLS said it', () => {}, refusal],
  ['later, as an outage', () => availability.markAvailable(), expect.any(DatabaseOutage)],
  [
    'also when the database counts as away by then, as an outage',
    () => {
      availability.markAvailable();
      queueMicrotask(() => availability.markAway('it is gone'));
    },
    expect.any(DatabaseOutage),
  ],
])('A failure to connect is told %s', async (_when, before, told) => {
  before();
  const { Pool } = serverDriver(availability);
  const answered = new Promise((resolve) => {
    new Pool().connect(resolve);
  });
  await Promise.resolve();
  refuse(refusal);
  expect(await answered).toEqual(told);
});
