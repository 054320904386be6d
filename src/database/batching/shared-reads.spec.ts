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
    const [sent, waiting] = [reading('1'), reading('2')];
    shared.add(sent, answer);
    shared.add(waiting, answer);
    shared.keep([waiting]);
    expect(shared.find(shareKeyOf(STATEMENT, ['1']))).toBeUndefined();
    expect(shared.find(shareKeyOf(STATEMENT, ['2']))).toBe(answer);
  });

  it('do not share the answer of an identical read that was already sent', () => {
    const shared = new SharedReads();
    const [sent, later] = [reading('1'), reading('1')];
    shared.add(sent, answer);
    shared.keep([later]);
    expect(shared.find(shareKeyOf(STATEMENT, ['1']))).toBeUndefined();
  });

  it('do not share answers with similar-looking values', () => {
    const texts = [['1', '2'], ['1\n1 2'], ['12'], ['1', '2', ''], ['1'], [''], [null], ['null']];
    const bytes = [[Buffer.from([0xff])], [Buffer.from([0xfe])], [Buffer.from('1')], [Buffer.from('null')]];
    const keys = [...texts, ...bytes].map((given) => shareKeyOf(STATEMENT, given));
    expect(new Set(keys).size).toBe(keys.length);
    expect(shareKeyOf(STATEMENT, ['1', null])).toBe(shareKeyOf(STATEMENT, ['1', null]));
  });
});
