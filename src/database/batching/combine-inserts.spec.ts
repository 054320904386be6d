import { describe, expect, it } from '@jest/globals';
import type { PendingQuery, Row, Statement } from './statement.js';
import { combineInserts, separateInserts } from './combine-inserts.js';

const forMany: Statement = { name: 'insert many', text: '', properties: [] };
const insert: Statement = { name: 'insert', text: '', properties: [], forMany };
const other: Statement = { name: 'other', text: '', properties: [] };

describe('Combined inserts', () => {
  let outcomes: Record<string, unknown>;
  const query = (statement: Statement, ...values: string[]): PendingQuery => ({
    statement,
    values,
    since: 1,
    resolve: (rows) => (outcomes[values.join()] = rows),
    reject: (error) => (outcomes[values.join()] = error),
  });
  const three = () => {
    outcomes = {};
    return combineInserts([
      query(insert, 'a', '1'),
      query(other, 'x'),
      query(insert, 'b', '2'),
      query(insert, 'c', '3'),
    ]);
  };

  it('become one statement with an array per column, and leave other statements unchanged', () => {
    const sent = three();
    expect(sent.map(({ statement, values }) => [statement.name, values])).toEqual([
      ['other', ['x']],
      [
        'insert many',
        [
          ['a', 'b', 'c'],
          ['1', '2', '3'],
        ],
      ],
    ]);
  });

  it('each get their row, or the shared error', () => {
    three()[1]?.resolve([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(outcomes).toEqual({ 'a,1': [{ n: 1 }], 'b,2': [{ n: 2 }], 'c,3': [{ n: 3 }] });
    three()[1]?.reject('no');
    expect(outcomes).toEqual({ 'a,1': 'no', 'b,2': 'no', 'c,3': 'no' });
  });

  it('resolve each to its own row when the server leaves one out', () => {
    const rows: Row[] = [];
    rows[0] = { n: 1 };
    rows[2] = { n: 3 };
    three()[1]?.resolve(rows);
    expect(outcomes).toEqual({ 'a,1': [{ n: 1 }], 'b,2': [], 'c,3': [{ n: 3 }] });
  });

  it('are unchanged after being separated', () => {
    const apart = separateInserts(three());
    expect(apart.map(({ statement, values }) => [statement.name, values])).toEqual([
      ['other', ['x']],
      ['insert', ['a', '1']],
      ['insert', ['b', '2']],
      ['insert', ['c', '3']],
    ]);
  });

  it('keep a single insert unchanged', () => {
    const alone = query(insert, 'a', '1');
    expect(combineInserts([alone])).toEqual([alone]);
  });
});
