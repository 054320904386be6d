import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import { DatabaseError } from 'pg';
import { DatabaseBusy, DatabaseOutage, DatabaseRefusal } from '../database/database-errors.js';
import type { ApiKey } from './api-key.entity.js';
import { KeysRepository } from './keys.repository.js';
import { LookUps } from './look-ups.js';

interface Stored {
  readonly hash: Buffer;
}

describe('Look-ups', () => {
  let lookUps: LookUps<Stored>;
  let statements: { hashes: string[]; end: (failure?: Error) => void }[];
  beforeEach(() => {
    statements = [];
    lookUps = new LookUps<Stored>(
      (hashes) =>
        new Promise((resolve, reject) =>
          statements.push({
            hashes: hashes.map(String),
            end: (failure) =>
              failure
                ? reject(failure)
                : resolve(hashes.filter((hash) => !String(hash).startsWith('no')).map((hash) => ({ hash }))),
          }),
        ),
      ({ hash }) => hash,
    );
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const find = async (name: string): Promise<string | undefined> => {
    const found = await lookUps.find(Buffer.from(name));
    return found ? String(found.hash) : undefined;
  };
  const settle = (): Promise<void> => new Promise(setImmediate);

  const sent = (): string[][] => statements.map(({ hashes }) => hashes);

  it('share the next statement while four are under way, and get their own rows', async () => {
    const first: Promise<string | undefined>[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      first.push(find(name));
      await settle();
    }
    const others = Promise.all([find('e'), find('no')]);
    await settle();
    const last = find('f');
    await settle();
    expect(sent()).toEqual([['a'], ['b'], ['c'], ['d']]);
    statements[1]?.end();
    expect(await first[1]).toBe('b');
    await settle();
    expect(sent()[4]).toEqual(['e', 'no', 'f']);
    statements[4]?.end();
    expect(await others).toEqual(['e', undefined]);
    expect(await last).toBe('f');
    for (const { end } of statements) end();
    expect(await Promise.all(first)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are refused in time while the statements before them are not answered', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const asked: Promise<string | undefined>[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      asked.push(find(name));
      await settle();
    }
    const answers = Promise.allSettled(asked);
    jest.advanceTimersByTime(1_000);
    expect(await answers).toEqual(
      asked.map(() => ({ status: 'rejected', reason: expect.any(DatabaseBusy) })),
    );
    expect(sent()).toHaveLength(4);
  });

  it('of keys that were seen do not wait for those of others', async () => {
    const asked: string[] = [];
    const readListed = (_: string, hashes: Buffer[]): Promise<never> => {
      asked.push(...hashes.map(String));
      return new Promise(() => {});
    };
    const keys = new KeysRepository({ readListed } as unknown as BatchedRepository<ApiKey>);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      void keys.findByHash(Buffer.from(name), false);
      await settle();
    }
    void keys.findByHash(Buffer.from('seen'), true);
    await settle();
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'seen']);
  });

  it.each([
    ['an outage', new DatabaseOutage()],
    ['too much load', new DatabaseBusy()],
  ])('of one turn share a statement, and fail with it, unlike later ones: %s', async (_, failure) => {
    const failing = Promise.allSettled([find('a'), find('b')]);
    await settle();
    const later = find('c');
    await settle();
    expect(sent()).toEqual([['a', 'b'], ['c']]);
    statements[0]?.end(failure);
    expect(await failing).toEqual([1, 2].map(() => ({ status: 'rejected', reason: failure })));
    statements[1]?.end();
    expect(await later).toBe('c');
    await settle();
    expect(sent()).toHaveLength(2);
  });

  describe('whose statement the database refuses', () => {
    const refusalWith = (code: string): DatabaseRefusal =>
      new DatabaseRefusal({ cause: Object.assign(new DatabaseError('refused', 0, 'error'), { code }) });
    const refusal = refusalWith('XX001');

    /** Each answer comes a turn after its statement. Those with a bad hash are refused. */
    const answerAll = async (failure: Error = refusal, from = 0): Promise<void> => {
      for (let at = from; at < statements.length; at++) {
        const { hashes, end } = statements[at] as (typeof statements)[0];
        end(hashes.some((name) => name.startsWith('bad')) ? failure : undefined);
        await settle();
      }
    };
    const outcomes = async (names: string[], failure?: Error): Promise<unknown[]> => {
      const [asked, from] = [Promise.allSettled(names.map(find)), statements.length];
      await settle();
      await answerAll(failure, from);
      return (await asked).map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
    };

    it.each([
      ['a damaged page', refusal],
      ['a policy that fails', new DatabaseError('division by zero', 0, 'error')],
    ])('are repeated by halves, so that only the faulty one fails: %s', async (_, failure) => {
      expect(await outcomes(['a', 'bad', 'no'], failure)).toEqual(['a', failure, undefined]);
      expect(sent()).toEqual([['a', 'bad', 'no'], ['a', 'bad'], ['no'], ['a'], ['bad']]);
    });

    it('are not repeated where a table or a permission is missing', async () => {
      const failure = refusalWith('42501');
      expect(await outcomes(['a', 'bad', 'no'], failure)).toEqual([failure, failure, failure]);
      expect(sent()).toEqual([['a', 'bad', 'no']]);
    });

    it('share no statement until they succeed', async () => {
      expect(await outcomes(['bad'])).toEqual([refusal]);
      expect(await outcomes(['a', 'bad', 'b'])).toEqual(['a', refusal, 'b']);
      expect(sent()).toEqual([['bad'], ['a', 'b'], ['bad']]);
      statements.length = 0;
      const mended = Promise.all([find('bad'), find('c')]);
      await settle();
      expect(sent()).toEqual([['bad'], ['c']]);
      for (const { end } of statements) end();
      await mended;
      statements.length = 0;
      await outcomes(['bad', 'c']);
      expect(sent()[0]).toEqual(['bad', 'c']);
    });

    it('share statements all the same when they are many, as rows are hardly the cause', async () => {
      const names = Array.from({ length: 200 }, (_, i) => `bad ${i}`);
      await outcomes(names);
      statements.length = 0;
      const mended = Promise.all(names.map(find));
      for (let at = 0; at < 129; at++) {
        await settle();
        statements[at]?.end();
      }
      expect(await mended).toEqual(names);
      expect(sent()[0]).toHaveLength(72);
    });

    it('take turns with those that are asked for first', async () => {
      const names = ['bad 1', 'a', 'bad 2', 'b', 'bad 3', 'c', 'bad 4', 'd'];
      const asked = Promise.allSettled(names.map(find));
      await settle();
      const end = async (at: number, failure?: Error): Promise<void> => {
        statements[at]?.end(failure);
        await settle();
      };
      await end(0, refusal);
      await end(1, refusal);
      await end(2, refusal);
      expect(sent().slice(3).map(String)).toEqual(['bad 1,a', 'bad 2,b', 'bad 3,c', 'bad 4,d']);
      const first = Promise.all([find('x'), find('y')]);
      await end(3, refusal);
      await end(4, refusal);
      expect(sent().slice(7).map(String)).toEqual(['x,y', 'bad 1']);
      const more = find('z');
      await end(5, refusal);
      await end(6, refusal);
      expect(sent().slice(9).map(String)).toEqual(['z', 'a']);
      await answerAll(refusal, 7);
      expect(await first).toEqual(['x', 'y']);
      expect(await more).toBe('z');
      expect((await asked).map(({ status }) => status)).toEqual(
        names.map((name) => (name.startsWith('bad') ? 'rejected' : 'fulfilled')),
      );
    });

    it('are not repeated for callers that were refused meanwhile', async () => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
      const asked = Promise.allSettled(['bad', ...'abcdefgh'].map(find));
      await settle();
      statements[0]?.end(refusal);
      await settle();
      jest.advanceTimersByTime(1_000);
      const refused = { status: 'rejected', reason: expect.any(DatabaseBusy) };
      expect(await asked).toEqual(Array.from({ length: 9 }, () => refused));
      await answerAll(refusal, 1);
      expect(sent()).toHaveLength(3);
    });
  });
});
