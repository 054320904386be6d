import { expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { History } from './history.js';

it('The transactions that a standby has to know are as new as it asks for', async () => {
  const history = new History({});
  const make = jest.spyOn(history as unknown as { make: () => Promise<object> }, 'make');
  make.mockImplementation(async () => ({
    database: '1',
    outcomes: [],
    ids: [String(make.mock.calls.length)],
  }));
  const query = jest.fn(async (_text: string, _values: unknown[]) => ({ rows: [{ is_equal: true }] }));
  const standby = { query } as unknown as pg.Client;
  for (const since of [-Infinity, -Infinity, performance.now() + 1, -Infinity])
    await history.isShared(1n, standby, since);
  expect(query.mock.calls.map(([, [ids]]) => ids)).toEqual([['1'], ['1'], ['2'], ['2']]);
});
