import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { done, FakePostgres, READY } from '../../../test/support/fake-postgres.js';
import { targetOf } from '../../../test/support/send-batch.js';
import { Inquiry } from './inquiry.js';
import { isKnownAsSlow, type Owner, Owners, readerOf } from './owners.js';
import { Probes } from './probes.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

const STATEMENT = { name: 'one', text: '', properties: ['name'] };
const readAt = (ms: number) => [done(), done(['a']), done(), done([`${ms}`]), READY];
const BEGUN = [done(), done(), done(), done(['0']), READY];
const [SLOW, QUICK] = [readAt(50), readAt(50)];
const ENDED = [done(), READY];

describe('Inquiry', () => {
  let [slow, quick, third]: Owner[] = [];
  beforeEach(() => void ([slow, quick, third] = [1, 2, 3].map(() => readerOf({}))));
  afterEach(() => void jest.restoreAllMocks());

  let owners: Owners;
  const inquiryOn = (server: FakePostgres): Inquiry => {
    owners = new Owners();
    const ofAll = new Probes(owners, undefined, true);
    ofAll.combined(1);
    const probes = new Probes(owners, ofAll, true);
    return new Inquiry({ ...targetOf('read'), pool: server.pool, probes }, () => owners.want());
  };
  const settled: unknown[] = [];
  const readOf = (owner: Owner | undefined): PendingQuery => ({
    statement: STATEMENT,
    values: [],
    since: performance.now(),
    resolve: (rows) => settled.push(rows),
    reject: (reason) => settled.push(reason),
    owner,
  });
  const ended = async (server: FakePostgres, batches: number): Promise<void> => {
    while (server.received.length < batches) await delay(1);
    await delay(5);
  };

  it('finds out whose reads take long, one of each owner, without trying again or answering their callers', async () => {
    const server = FakePostgres.answering([...BEGUN, ...SLOW, ...QUICK, ...ENDED]);
    inquiryOn(server).given([readOf(slow), readOf(quick), readOf(slow)]);
    await ended(server, 1);
    expect([slow, quick].map((owner) => isKnownAsSlow(owner))).toEqual([true, false]);
    expect(server.received).toEqual(['----|-one--|----|-|']);
    expect(settled).toEqual([]);
    expect(owners.areWanted).toBe(true);
  });

  it('ends where there is no connection', async () => {
    let attempts = 0;
    const connect = (callback: (error: Error) => void): void => {
      attempts++;
      callback(new Error('refused'));
    };
    const inquiry = inquiryOn({ pool: () => ({ connect }) } as never);
    for (let i = 1; i <= 2; i++) {
      inquiry.given([readOf(slow), readOf(quick)]);
      expect(attempts).toBe(i);
    }
  });

  it('ends once all were quick', async () => {
    const server = FakePostgres.answering([...BEGUN, ...QUICK, ...ENDED]);
    const inquiry = inquiryOn(server);
    inquiry.given([readOf(quick)]);
    inquiry.late([readOf(third), readOf(undefined)]);
    await ended(server, 1);
    expect(server.received).toHaveLength(1);
  });

  it('takes one batch after another while some take long, without those that are known by then', async () => {
    const server = FakePostgres.answering(
      [...BEGUN, ...SLOW, ...QUICK, ...ENDED],
      [...BEGUN, ...QUICK, ...ENDED],
    );
    const inquiry = inquiryOn(server);
    inquiry.given([readOf(slow), readOf(quick)]);
    setImmediate(() => inquiry.late([readOf(third)]));
    await ended(server, 2);
    inquiry.late([readOf(slow)]);
    await ended(server, 2);
    expect(server.received).toEqual(['----|-one--|----|-|', '----|-one--|-|']);
  });

  it('takes reads that got no turn only within a second after a batch was given up', async () => {
    const server = FakePostgres.answering([...BEGUN, ...QUICK, ...ENDED], [...BEGUN, ...QUICK, ...ENDED]);
    const inquiry = inquiryOn(server);
    inquiry.late([readOf(third)]);
    await ended(server, 0);
    expect(server.received).toEqual([]);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    inquiry.given([readOf(quick)]);
    await ended(server, 1);
    for (const ms of [1_000, 999]) {
      clock.mockReturnValue(now + ms);
      inquiry.late([readOf(third)]);
      await ended(server, ms < 1_000 ? 2 : 1);
      expect(server.received).toHaveLength(ms < 1_000 ? 2 : 1);
    }
  });
});
