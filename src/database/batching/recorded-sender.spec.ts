import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { done, error, FakePostgres, insert, READY } from '../../../test/support/fake-postgres.js';
import { Availability } from '../availability.js';
import { RefusalLog } from '../refusal-log.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { RecentLock } from './batch-plan.js';
import { RecordedSender } from './recorded-sender.js';
import { Separation } from './separation.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

describe('RecordedSender', () => {
  let separation: Separation;
  beforeEach(() => {
    separation = new Separation();
  });

  /** Resolves with what each request learns: whose fault it was that it must run again. */
  async function send(server: FakePostgres, count: number): Promise<unknown[]> {
    const queries: PendingQuery[] = [];
    const outcomes = Array.from(
      { length: count },
      () =>
        new Promise<unknown>((resolve, reject) =>
          queries.push({
            statement: insert,
            values: ['a'],
            since: performance.now(),
            resolve: () => resolve('stored'),
            reject,
            hold: (_, commitWith) => commitWith({ statement: insert, values: ['record'] }),
          }),
        ),
    );
    const target = {
      pool: server.pool,
      availability: new Availability(),
      refusals: new RefusalLog(),
      locks: new RecentLock(),
      kind: 'write',
      named: true,
    } as const;
    const ended = new Promise((end) => new RecordedSender(target, separation, end).start(() => queries));
    const faults = outcomes.map((outcome) =>
      outcome.catch((reason: unknown) => (reason instanceof RunAgain ? (reason.fault ?? 'unknown') : reason)),
    );
    await ended;
    return Promise.all(faults);
  }

  const BEGUN = done();
  const rolledBack = [done(), READY];

  it.each([
    ['met a lock', '55P03'],
    ['was refused', '23505'],
  ])('sends inserts separately after one %s, and then tells which one', async (_what, code) => {
    const server = new FakePostgres((asked) => {
      if (asked === '-many|') return [BEGUN, error(code), READY];
      return asked === '-oneoneone|' ? [BEGUN, done(['a']), error(code), READY] : rolledBack;
    });
    expect(await send(server, 3)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(await send(server, 3)).toEqual(['of another', 'own', 'of another']);
    expect(server.received).toEqual(['-many|', '-|', '-oneoneone|', '-|']);
  });

  it.each([
    ['what interfered with it', '40001'],
    ['an outdated statement', '22003'],
  ])('tells nobody of %s', async (_what, code) => {
    separation.begin();
    const server = new FakePostgres((asked) =>
      asked === '-oneone|' ? [BEGUN, error(code), READY] : rolledBack,
    );
    expect(await send(server, 2)).toEqual(['unknown', 'unknown']);
  });

  it.each(['40001', '57014', '22003', '53100'])('goes on combining inserts after %s', async (code) => {
    const server = new FakePostgres((asked) =>
      asked === '-many|' ? [BEGUN, error(code), READY] : rolledBack,
    );
    await send(server, 2);
    expect(separation.isOn).toBe(false);
  });

  it('tells nobody of what the records met, and combines inserts as before', async () => {
    const server = new FakePostgres((asked) => {
      if (asked === '-many|') return [BEGUN, done(['a', '1'], ['a', '2']), READY];
      return asked === 'many-|' ? [error('23505', 'ERROR', '_bt_check_unique'), READY] : rolledBack;
    });
    expect(await send(server, 2)).toEqual(['unknown', 'unknown']);
    expect(await send(server, 2)).toEqual(['unknown', 'unknown']);
    expect(server.received).toEqual(['-many|', 'many-|', '-|', '-many|', 'many-|', '-|']);
  });

  it.each([
    ['combines inserts again', 'separate', false],
    ['goes on sending inserts separately', 'combined', true],
  ])('%s once %s ones were slow', async (_what, sent, isOn) => {
    let exchanges = 0;
    const slow = (): void => {
      if (++exchanges > 1) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 310);
      separation.begin(); // another batch began it meanwhile
    };
    if (sent === 'separate') separation.begin();
    const server = new FakePostgres((asked) => {
      if (asked === '-oneone|') return [BEGUN, done(['a']), done(['a']), READY];
      return asked === '-many|'
        ? [BEGUN, done(['a', '1'], ['a', '2']), READY]
        : [done(['a', '1'], ['a', '2']), done(), READY];
    }, slow);
    expect(await send(server, 2)).toEqual(['stored', 'stored']);
    expect(separation.isOn).toBe(isOn);
  });
});
