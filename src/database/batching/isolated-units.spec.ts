import { expect, it } from '@jest/globals';
import { isolated, lockWaitOf } from './isolated-units.js';
import { BEGIN, limits, ownQuery } from './own-statements.js';
import { WAITING } from './owners.js';
import type { PendingQuery } from './statement.js';

const queriesOf = (inserts: number, isWaiting: boolean): PendingQuery[] =>
  Array.from({ length: inserts }, () => ({ ...ownQuery(''), ...(isWaiting && { party: WAITING }) }));
const waits = (inserts: number, isWaiting: boolean, ofLocks?: number): number[] => {
  const queries = queriesOf(inserts, isWaiting);
  return queries.map((_, position) => lockWaitOf(queries, ofLocks)(position));
};

it('lets inserts wait for locks as long together as one may, twice for a row', () => {
  expect([waits(1, false), waits(5, false), waits(4, false, 1)]).toEqual([
    [300],
    [100, 100, 100, 100, 100],
    [2, 2, 2, 2],
  ]);
});

it('lets the first of those that wait have the most of it', () => {
  expect([waits(1, true), waits(2, true), waits(4, true)]).toEqual([[300], [250, 250], [250, 124, 62, 62]]);
  expect(waits(12, true).slice(7)).toEqual([2, 2, 2, 2, 2]);
});

it('gives each of those that wait its limits, and no others', () => {
  const [, ...units] = isolated([BEGIN], queriesOf(4, true));
  expect(units.map((unit) => unit[1]?.statement.text)).toEqual(
    [
      [125, 350],
      [62, 224],
      [31, 162],
      [31, 162],
    ].map(([ofLocks, ofStatement]) => limits(ofLocks as number, ofStatement as number).statement.text),
  );
  expect(isolated([BEGIN], queriesOf(2, false)).map((unit) => unit.length)).toEqual([2, 5, 5]);
});
