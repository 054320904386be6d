import { expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Availability } from '../availability.js';
import { DatabaseBusy } from '../database-errors.js';
import { RecentLock } from './batch-plan.js';
import type { Statement } from './statement.js';
import { StatementQueue } from './statement-queue.js';

const PAGE: Statement = { name: 'pets page', text: '', properties: [] };

it('refuses statements that wait too long for their turn, and has each counted for the log', async () => {
  const countLate = jest.fn();
  const availability = new Availability();
  availability.markAvailable();
  const target = {
    kind: 'write' as const,
    named: true,
    availability,
    refusals: { count: () => {}, countLate },
    locks: new RecentLock(),
    pool: () => ({ connect: () => {} }) as unknown as pg.Pool, // no connection gets free
  };
  const queue = new StatementQueue(target, 1);
  const refused = [1, 2].map((value) =>
    expect(queue.run(PAGE, [value])).rejects.toBeInstanceOf(DatabaseBusy),
  );
  await Promise.all(refused);
  expect(countLate.mock.calls).toEqual([
    ['turn', 'pets page'],
    ['turn', 'pets page'],
  ]);
});
