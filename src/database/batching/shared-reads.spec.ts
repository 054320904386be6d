import { describe, expect, it } from '@jest/globals';
import { shareKeyOf, SharedReads } from './shared-reads.js';
import type { PendingQuery, Row } from './statement.js';

const STATEMENT = { name: 'one', text: 'SELECT $1', properties: [] };
const ignore = (): void => {};

function reading(...values: unknown[]): PendingQuery {
  const shareKey = shareKeyOf(STATEMENT, values);
  return { statement: STATEMENT, values, since: 0, resolve: ignore, reject: ignore, shareKey };
}

describe('Queued reads', () => {
  const answer = Promise.resolve<Row[]>([]);

  it('share their answer until they are sent', () => {
    const shared = new SharedReads();
    const [sent, waiting] = [reading(1n), reading(2n)];
    shared.add(sent, answer);
    shared.add(waiting, answer);
    shared.keep([waiting]);
    expect(shared.find(shareKeyOf(STATEMENT, [1n]))).toBeUndefined();
    expect(shared.find(shareKeyOf(STATEMENT, [2n]))).toBe(answer);
  });

  it('do not share the answer of an identical read that was already sent', () => {
    const shared = new SharedReads();
    const [sent, later] = [reading(1n), reading(1n)];
    shared.add(sent, answer);
    shared.keep([later]);
    expect(shared.find(shareKeyOf(STATEMENT, [1n]))).toBeUndefined();
  });

  it('do not share answers with similar-looking values', () => {
    const values = [
      ['1', '2'],
      ['1\n1 2'],
      ['12'],
      ['1', '2', ''],
      ['1'],
      [1],
      [1n],
      [''],
      [null],
      ['null'],
      [true],
      ['true'],
    ];
    const moments = [[new Date(1)], [new Date(2)], ['1'.repeat(8)]];
    const bytes = [[Buffer.from([0xff])], [Buffer.from([0xfe])], [Buffer.from('1')], [Buffer.from('null')]];
    const keys = [...values, ...moments, ...bytes].map((given) => shareKeyOf(STATEMENT, given));
    expect(new Set(keys).size).toBe(keys.length);
    expect(shareKeyOf(STATEMENT, [new Date(1)])).toBe(shareKeyOf(STATEMENT, [new Date(1)]));
  });

  it('share nothing when their values cannot be compared', () => {
    expect(shareKeyOf(STATEMENT, [['1,2']])).toBeUndefined();
    expect(new SharedReads().find(undefined)).toBeUndefined();
  });
});
