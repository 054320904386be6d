import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { done, error, FakePostgres, insert, READY } from '../../../test/support/fake-postgres.js';
import { Availability } from '../availability.js';
import { RefusalLog } from '../refusal-log.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { RecentLock } from './batch-plan.js';
import { RecordedSender } from './recorded-sender.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

describe('RecordedSender', () => {
  let locks: RecentLock;
  beforeEach(() => {
    locks = new RecentLock();
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
      locks,
      kind: 'write',
      named: true,
    } as const;
    const ended = new Promise((end) => new RecordedSender(target, end).start(() => queries));
    const faults = outcomes.map((outcome) =>
      outcome.catch((reason: unknown) => (reason instanceof RunAgain ? (reason.fault ?? 'unknown') : reason)),
    );
    await ended;
    return Promise.all(faults);
  }

  const BEGUN = done();
  const rolledBack = [done(), READY];

  it('combines inserts, and cannot tell which of them met a lock', async () => {
    const server = new FakePostgres((asked) =>
      asked === '-many|' ? [BEGUN, error('55P03'), READY] : rolledBack,
    );
    expect(await send(server, 3)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(server.received).toEqual(['-many|', '-|']);
  });

  it('sends them separately after a lock, and tells which of them met the next one', async () => {
    locks.note();
    const server = new FakePostgres((asked) =>
      asked === '-oneoneone|' ? [BEGUN, done(['a']), error('55P03'), READY] : rolledBack,
    );
    expect(await send(server, 3)).toEqual(['of another', 'own', 'of another']);
    expect(server.received).toEqual(['-oneoneone|', '-|']);
  });

  it('tells nobody after an error that says nothing of locks', async () => {
    locks.note();
    const server = new FakePostgres((asked) =>
      asked === '-oneone|' ? [BEGUN, error('23505'), READY] : rolledBack,
    );
    expect(await send(server, 2)).toEqual(['unknown', 'unknown']);
  });

  it('tells nobody of a lock that the records met', async () => {
    locks.note();
    const server = new FakePostgres((asked) => {
      if (asked === '-oneone|') return [BEGUN, done(['a']), done(['a']), READY];
      return asked === 'many-|' ? [error('55P03', 'ERROR', 'ProcSleep'), READY] : rolledBack;
    });
    expect(await send(server, 2)).toEqual(['unknown', 'unknown']);
    expect(server.received).toEqual(['-oneone|', 'many-|', '-|']);
  });
});
