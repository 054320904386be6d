import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { DatabaseError } from 'pg';
import { insert } from '../../../test/support/fake-postgres.js';
import { BEGIN, COMMIT } from './own-statements.js';
import type { PendingQuery, Row } from './statement.js';
import { UnitTimes } from './unit-times.js';

const owner = {};
const unit: PendingQuery[] = [BEGIN, { ...BEGIN, statement: insert, owner }];
const failed = (code: string) => Object.assign(new DatabaseError('', 0, 'error'), { code });

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it('measures from the answer of the first unit on, and only statements of callers', () => {
  const times = new UnitTimes(() => 0);
  jest.advanceTimersByTime(30);
  times.answered([BEGIN]);
  jest.advanceTimersByTime(40);
  times.answered(unit);
  jest.advanceTimersByTime(50);
  times.answered([COMMIT]);
  times.end();
  times.answered(unit);
  expect(times.distanceMs).toBe(30);
  expect(times.statements).toMatchObject([
    { owner, ms: 40, atLeastMs: 35, hasSucceeded: true, isCancelled: false },
  ]);
  jest.advanceTimersByTime(5); // the last turn
  expect(jest.getTimerCount()).toBe(0);
});

const at = (time: number, rows: object[] = []) => [rows, [{ time: String(time) }]] as Row[][];

it('takes the time of the server where units ask for it, and none after one that failed', () => {
  const times = new UnitTimes(() => 0);
  times.answered([BEGIN], undefined, at(1_000));
  jest.advanceTimersByTime(90);
  for (const time of [1_030, 1_025]) times.answered(unit, undefined, at(time)); // its clock was set back
  times.answered(unit, failed('P0001'));
  jest.advanceTimersByTime(10);
  times.answered(unit, undefined, at(2_000));
  times.answered(unit, undefined, at(2_001.5));
  times.answered(unit, failed('57014'));
  times.answered(unit, undefined, at(2_020));
  jest.advanceTimersByTime(500);
  times.lost([unit]);
  expect(times.statements.map(({ ms }) => ms)).toEqual([30, 0, 1.5, 0, 500]);
  expect(times.statements[0]).toMatchObject({ atLeastMs: 30 });
  times.end();
});

it('knows that the server may have waited until the way took many rows', () => {
  const times = new UnitTimes(() => 0);
  jest.advanceTimersByTime(50);
  times.answered([BEGIN], undefined, at(1_000));
  for (const rows of [99, 1, 1])
    times.answered(
      unit,
      undefined,
      at(
        1_000,
        Array.from({ length: rows - 1 }, () => ({})),
      ),
    );
  expect(times.statements.map(({ mayHaveWaitedMs }) => mayHaveWaitedMs)).toEqual([0, 50, 50]);
  times.end();
});

it('knows that an answer may have waited while the process was busy', () => {
  const times = new UnitTimes(() => 0);
  times.answered([BEGIN]);
  jest.advanceTimersByTime(20);
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 100);
  times.answered(unit);
  expect(times.statements).toMatchObject([{ ms: 120, atLeastMs: 15 }]);
});

it('sees the answers on their way to a listener, and which inserts were cancelled or waited for a lock', () => {
  const times = new UnitTimes(() => 0);
  const seen: unknown[][] = [];
  const listener = times.of({
    committed: (...args) => void seen.push(args),
    rolledBack: (...args) => void seen.push(args),
  });
  listener.committed([BEGIN], []);
  listener.committed(unit, [[], [{ name: 'a' }]]);
  const [cancelled, locked] = [failed('57014'), failed('55P03')];
  listener.rolledBack(unit, cancelled);
  listener.rolledBack(unit, locked);
  expect(seen).toEqual([
    [[BEGIN], []],
    [unit, [[], [{ name: 'a' }]]],
    [unit, cancelled, undefined],
    [unit, locked, undefined],
  ]);
  expect(times.statements).toMatchObject([
    { hasSucceeded: true, isCancelled: false },
    { hasSucceeded: false, isCancelled: true },
  ]);
  times.end();
});

it('measures what was not answered in time', () => {
  const times = new UnitTimes(() => 0);
  times.answered([BEGIN]);
  jest.advanceTimersByTime(500);
  times.lost([unit, unit]);
  expect(times.statements).toMatchObject([
    { owner, ms: 500, atLeastMs: 495, hasSucceeded: false, isCancelled: false },
  ]);
  times.end();
});

it('knows how long inserts may have waited for locks', () => {
  const times = new UnitTimes((position) => 100 - position);
  times.answered([BEGIN]);
  for (let i = 0; i < 4; i++) times.answered(unit, i === 1 ? failed('55P03') : undefined);
  expect(times.statements.map(({ mayHaveWaitedMs }) => mayHaveWaitedMs)).toEqual([100, 98, 97]);
  times.end();
});
