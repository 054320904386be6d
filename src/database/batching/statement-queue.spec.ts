import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { readSockets } from '../../common/patience.js';
import { WaitingPlaces } from '../../common/waiting-places.js';
import { Availability } from '../availability.js';
import { DatabaseBusy } from '../database-errors.js';
import { done, FakePostgres, insert, READY } from '../../../test/support/fake-postgres.js';
import { RecentLock } from './recent-lock.js';
import type { BatchTarget, Take } from './batch-sender.js';
import { BatchSize } from './batch-size.js';
import { type Owner, Owners, WAITING } from './owners.js';
import type { Statement } from './statement.js';
import { type SenderOf, StatementQueue } from './statement-queue.js';

const PAGE: Statement = { name: 'pets page', text: '', properties: [] };

describe('A queue of statements', () => {
  afterEach(() => void jest.restoreAllMocks());

  const countLate = jest.fn();
  const noConnection = () => ({ connect: () => {} }) as unknown as pg.Pool;
  const queueWith = (
    places?: WaitingPlaces,
    other: Partial<BatchTarget> = {},
    senderOf?: SenderOf,
  ): StatementQueue => {
    countLate.mockClear();
    const availability = new Availability();
    availability.markAvailable();
    const target = {
      kind: 'write' as const,
      named: true,
      availability,
      refusals: { count: () => {}, countLate, countUncombined: () => {} },
      locks: new RecentLock(),
      size: new BatchSize(),
      pool: noConnection,
      ...other,
    };
    return new StatementQueue(target, 1, senderOf, places);
  };

  it('refuses those that wait too long for their turn, and has each counted for the log', async () => {
    const queue = queueWith();
    const refused = [1, 2].map((value) =>
      expect(queue.run(PAGE, [value])).rejects.toBeInstanceOf(DatabaseBusy),
    );
    await Promise.all(refused);
    expect(countLate.mock.calls).toEqual([
      ['turn', 'pets page'],
      ['turn', 'pets page'],
    ]);
  });

  it('refuses at once what finds no place, and what has to give up its place to another key', async () => {
    const places = new WaitingPlaces(2);
    const queue = queueWith(places);
    const [greedy, other] = [{}, {}];
    const insert = (key: object): Promise<unknown> => queue.runRecorded(PAGE, [], () => {}, { owner: key });
    const [first, second] = [insert(greedy), insert(greedy)];
    expect(() => insert(greedy)).toThrow(DatabaseBusy);
    const third = insert(other);
    await expect(second).rejects.toBeInstanceOf(DatabaseBusy);
    expect(queue.load.waiting).toBe(2);
    expect(countLate).toHaveBeenCalledTimes(2);
    await Promise.all([first, third].map((late) => expect(late).rejects.toBeInstanceOf(DatabaseBusy)));
    expect(places.take({ group: {}, giveUp: () => {} })).toBeDefined(); // theirs are free again
  });

  it('sends as many at once as the answered batches allow', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const server = new FakePostgres((asked) => [
      ...(asked.match(/one/g) ?? []).map(() => done(['a'])),
      READY,
    ]);
    const queue = queueWith(undefined, { kind: 'read', pool: server.pool, size: new BatchSize(1, 4) });
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((value) => queue.run(insert, [value])));
    expect(server.received.map((names) => names.length)).toEqual([4, 7, 13, 4]);
  });

  describe('while a batch is late', () => {
    const sent: ((error?: Error) => void)[] = [];
    const senderOf: SenderOf = (done) => ({ start: (take: Take) => void (take(), sent.push(done)) });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    beforeEach(() => {
      sent.length = 0;
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    });
    afterEach(() => void jest.useRealTimers());

    const sentAfter = async (ms: number, hasSpare: boolean): Promise<StatementQueue> => {
      const size = new BatchSize();
      size.answered(1, 20);
      const queue = queueWith(undefined, { kind: 'read', size, hasSpare }, senderOf);
      for (const value of [1, 2]) {
        queue.run(PAGE, [value]).catch(() => {});
        await turn();
      }
      jest.advanceTimersByTime(ms);
      await turn();
      return queue;
    };

    it.each([
      [139, true, 1],
      [140, true, 2],
      [300, false, 1],
    ])('for %d ms, where its pool has a spare connection (%p), sends %d', async (ms, hasSpare, batches) => {
      await sentAfter(ms, hasSpare);
      expect(sent).toHaveLength(batches);
    });

    it('sends one beside it, and after that waits for an answer again', async () => {
      const queue = await sentAfter(140, true);
      queue.run(PAGE, [3]).catch(() => {});
      jest.advanceTimersByTime(300); // the second is late, too
      await turn();
      expect(sent).toHaveLength(2);
      sent[0]?.();
      await turn();
      expect(sent).toHaveLength(3);
      for (const done of sent.slice(1)) done();
      expect(queue.load.underWay).toBe(0);
      queue.run(PAGE, [4]).catch(() => {});
      await turn();
      queue.run(PAGE, [5]).catch(() => {});
      await turn();
      expect(sent).toHaveLength(4);
    });

    it('waits for it where no second connection can be made', async () => {
      const queue = await sentAfter(140, true);
      const refused = jest.fn();
      queue.run(PAGE, [3]).catch(refused);
      sent[1]?.(new Error('too many connections'));
      await turn();
      expect(sent).toHaveLength(2);
      sent[0]?.();
      await turn();
      expect(sent).toHaveLength(3);
      expect(refused).not.toHaveBeenCalled();
    });
  });

  it('has only those of a party share a batch where they need places, and parties take turns', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const server = new FakePostgres((asked) => [
      ...(asked.match(/one|many/g) ?? []).map(() => done(['a', '1'], ['a', '2'])),
      READY,
    ]);
    const target = { pool: server.pool, size: new BatchSize(1, 1) };
    const queue = queueWith(new WaitingPlaces(10), target);
    const [busy, other]: [Owner, Owner] = [{}, {}];
    for (const owner of [busy, other]) new Owners().tookLong(owner);
    const answered: string[] = [];
    const run = async (owner: object, name: string): Promise<void> => {
      await queue.run(insert, ['a'], { owner, party: owner });
      answered.push(name);
    };
    await Promise.all([run(busy, 'busy 1'), run(busy, 'busy 2'), run(other, 'other')]);
    expect(answered).toEqual(['busy 1', 'other', 'busy 2']);
    target.size.most = 16;
    await Promise.all([run(busy, 'busy'), run(other, 'other'), run(busy, 'busy')]);
    expect(answered.slice(3).toSorted()).toEqual(['busy', 'busy', 'other']);
    expect(server.received.slice(3).toSorted()).toEqual(['many|', 'one|']);
  });

  it('has all that wait for locks share batches, in which the first of each owner come first', async () => {
    const taken: unknown[] = [];
    const senderOf = (done: () => void) => ({
      start(take: Take): void {
        taken.push(take().map(({ values, resolve }) => [values[0], resolve([])][0]));
        done();
      },
    });
    const queue = queueWith(new WaitingPlaces(10), {}, senderOf);
    const [greedy, other, slow]: [Owner, Owner, Owner] = [{}, {}, {}];
    const run = (value: string, owner: Owner, party = WAITING) => queue.run(PAGE, [value], { owner, party });
    await Promise.all([run('1', greedy), run('2', greedy), run('slow', slow, slow), run('other', other)]);
    expect(taken).toEqual([['1', 'other', '2'], ['slow']]);
  });

  it('has the reads of all owners share batches, in which those come first who had none for long', async () => {
    const taken: unknown[][] = [];
    const senderOf = (done: () => void) => ({
      start(take: Take): void {
        taken.push(take(2).map(({ values, resolve }) => [values[0], resolve([])][0]));
        done();
      },
    });
    const queue = queueWith(new WaitingPlaces(10), { kind: 'read' }, senderOf);
    const [greedy, other, third]: [Owner, Owner, Owner] = [{}, {}, {}];
    const run = (value: string, owner: Owner) => queue.run(PAGE, [value], { owner, party: owner });
    const first = Promise.all([run('1', greedy), run('2', greedy), run('3', greedy), run('other', other)]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await Promise.all([first, run('third', third)]);
    expect(taken).toEqual([['1', 'other'], ['third', '2'], ['3']]);
  });

  it('takes over what has waited elsewhere, if there is a place, and counts the time', async () => {
    jest.useFakeTimers();
    try {
      const queue = queueWith(new WaitingPlaces(2));
      const late = jest.fn<(error: unknown) => void>();
      const waited = () => {
        const since = performance.now() - 340;
        return { statement: PAGE, values: [], since, resolve: () => {}, reject: late };
      };
      const newest = queue.run(PAGE, [], { owner: {} });
      expect([queue.takeOver(waited()), queue.takeOver(waited())]).toEqual([true, false]);
      jest.advanceTimersByTime(10);
      await readSockets();
      expect([late.mock.calls.length, queue.load.waiting]).toEqual([1, 1]);
      jest.advanceTimersByTime(340);
      await expect(newest).rejects.toBeInstanceOf(DatabaseBusy);
    } finally {
      jest.useRealTimers();
    }
  });
});
