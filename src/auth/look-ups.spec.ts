import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import { DatabaseBusy } from '../database/database-errors.js';
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

  it('of one turn share a statement, and fail with it, unlike later ones', async () => {
    const failing = Promise.allSettled([find('a'), find('b')]);
    await settle();
    const later = find('c');
    await settle();
    expect(sent()).toEqual([['a', 'b'], ['c']]);
    statements[0]?.end(new Error('refused'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    statements[1]?.end();
    expect(await later).toBe('c');
  });
});
