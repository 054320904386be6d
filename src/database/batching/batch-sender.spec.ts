import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  described,
  done,
  doneWithoutRows,
  error,
  FakePostgres,
  insert,
  READY,
} from '../../../test/support/fake-postgres.js';
import { Availability } from '../availability.js';
import { RefusalLog } from '../refusal-log.js';
import { RecentLock } from './recent-lock.js';
import { BatchSender, type BatchTarget } from './batch-sender.js';
import { BatchSize } from './batch-size.js';
import { Combining } from './combining.js';
import type { PendingQuery, Row } from './statement.js';

Logger.overrideLogger(false);

/** Answers to a dry run. */
const triedFor = (name: string) => [done(), done([name]), done(), READY, done(), READY];

const REFUSED_B_AND_D = [
  [{ name: 'a' }],
  { code: 'P0001' },
  [{ name: 'c' }],
  { code: 'P0001' },
  [{ name: 'e' }],
  undefined,
];

describe('BatchSender', () => {
  let target: Omit<BatchTarget, 'pool'>;
  afterEach(() => void jest.restoreAllMocks());
  beforeEach(() => {
    target = {
      availability: new Availability(),
      refusals: new RefusalLog(),
      locks: new RecentLock(),
      combining: new Combining(),
      size: new BatchSize(),
      kind: 'write',
      named: true,
    };
  });

  function send(server: FakePostgres, since: number, ...names: string[]): Promise<unknown[]> {
    const outcomes = names.map(
      (name) =>
        (resolve: (rows: Row[]) => void, reject: (error: unknown) => void): PendingQuery => ({
          statement: insert,
          values: [name],
          since,
          resolve,
          reject,
        }),
    );
    const queries: PendingQuery[] = [];
    const answers = outcomes.map(
      (make) => new Promise<Row[]>((resolve, reject) => queries.push(make(resolve, reject))),
    );
    const ended = new Promise<unknown>((end) =>
      new BatchSender({ ...target, pool: server.pool }, end).start(() => queries),
    );
    return Promise.all([...answers, ended].map((answer) => answer.catch((reason: unknown) => reason)));
  }

  it('resolves each query with its own rows, in any order of rows', async () => {
    const server = new FakePostgres(() => [done(['c', '3'], ['a', '1'], ['b', '2']), READY]);
    expect(await send(server, performance.now(), 'a', 'b', 'c')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      [{ name: 'c' }],
      undefined,
    ]);
  });

  it('waits for a lock once: then, and in further batches, a locked query fails at once and delays no other', async () => {
    Object.assign(target, { kind: 'read' });
    const locked = [error('55P03'), READY];
    const server = new FakePostgres((message) => {
      if (message === 'oneone|') return locked;
      if (message === '-one|') return [done(), done(['c']), READY];
      return [done(), ...locked, done(), done(['b']), READY];
    });
    expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([
      { name: 'DatabaseBusy', cause: { code: '55P03' } },
      [{ name: 'b' }],
      undefined,
    ]);
    expect(await send(server, performance.now(), 'c')).toEqual([[{ name: 'c' }], undefined]);
    // In front of each query is the setting.
    expect(server.received).toEqual(['oneone|', '-one|--|', '-one|']);
  });

  it('recognises errors in any language of the server', async () => {
    const server = new FakePostgres(() => [error('23505', 'FEHLER'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ code: '23505' }, undefined]);
  });

  it('reports an unknown outcome when the server closes the connection after an error', async () => {
    const server = new FakePostgres(() => [error('57P01', 'FATAL')]);
    const size = Object.assign(new BatchSize(16, 64), { most: 64 });
    Object.assign(target, { size });
    expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([
      { name: 'OutcomeUnknown' },
      { name: 'OutcomeUnknown' },
      undefined,
    ]);
    expect(server.received).toHaveLength(1);
    expect(size.most).toBe(16);
  });

  it.each([
    ['no result', [READY]],
    ['more results than statements', [done(['a', '1']), done(['b', '2']), READY]],
  ])('reports an unknown outcome after %s', async (_what, answer) => {
    const server = new FakePostgres(() => answer);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ name: 'OutcomeUnknown' }, undefined]);
  });

  it('reports an unknown outcome after an error that means it', async () => {
    const server = new FakePostgres(() => [error('08006'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ name: 'OutcomeUnknown' }, undefined]);
  });

  it('has an unknown outcome when the commit says so', async () => {
    const server = new FakePostgres(() => [done(['a', '1']), error('08006', 'ERROR', 'finish'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ name: 'OutcomeUnknown' }, undefined]);
  });

  it('is not stored when PostgreSQL says so of the statement itself', async () => {
    const server = new FakePostgres(() => [error('08006', 'ERROR', 'exec_stmt_raise'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([
      { name: 'DatabaseRefusal' },
      undefined,
    ]);
  });

  it.each([
    ['26000', ''],
    ['42P05', ''],
    ['0A000', 'RevalidateCachedQuery'],
    ['25P02', ''],
  ])('retries on another connection after %s', async (code, routine) => {
    const server: FakePostgres = new FakePostgres(() =>
      server.connections === 1
        ? [error(code, 'ERROR', routine), READY]
        : [done(['a', '1'], ['b', '2']), READY],
    );
    expect(await send(server, performance.now(), 'a', 'b')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      undefined,
    ]);
    expect(server.received).toEqual(['many|', 'many|']);
  });

  it('prepares a statement that may be outdated anew, on the same connection', async () => {
    Object.assign(target, { kind: 'read' });
    const server: FakePostgres = new FakePostgres(() =>
      server.received.length === 2 ? [error('42501'), READY] : [done(['a']), READY],
    );
    for (let i = 0; i < 3; i++)
      expect(await send(server, performance.now(), 'a')).toEqual([[{ name: 'a' }], undefined]);
    expect(server.received).toHaveLength(4);
    expect([server.connections, server.prepared, server.closed]).toEqual([1, ['one', 'one'], ['one']]);
  });

  it('prepares an insert anew for all, and isolates a read at once', async () => {
    const answers: Buffer[][] = [
      [done(['a', '1'], ['b', '2']), READY],
      [error('22P02'), READY],
      [done(['a', '1'], ['b', '2']), READY],
      [done(['a']), done(['b']), READY],
      [error('22P02'), READY],
      [done(['a']), READY, described, error('22P02'), READY],
    ];
    const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] as Buffer[]);
    const both = [[{ name: 'a' }], [{ name: 'b' }], undefined];
    for (let i = 0; i < 2; i++) expect(await send(server, performance.now(), 'a', 'b')).toEqual(both);
    Object.assign(target, { kind: 'read' });
    expect(await send(server, performance.now(), 'a', 'b')).toEqual(both);
    const [good, faulty] = await send(server, performance.now(), 'a', 'b');
    expect([good, faulty]).toMatchObject([[{ name: 'a' }], { name: 'DatabaseRefusal' }]);
    expect(server.received).toEqual(['many|', 'many|', 'many|', 'oneone|', 'oneone|', 'one|-|']);
    expect([server.connections, server.closed]).toEqual([1, ['many', 'many', 'one']]);
  });

  it('sends inserts row by row for a minute that only fail when they are combined, and logs why', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const server = new FakePostgres((asked) => {
      if (asked === 'many|') return [error('42501'), READY];
      return asked === 'oneone|' ? [done(['a']), done(['b']), READY] : [...triedFor('a'), ...triedFor('b')];
    });
    const both = [[{ name: 'a' }], [{ name: 'b' }], undefined];
    for (let i = 0; i < 3; i++) expect(await send(server, performance.now(), 'a', 'b')).toEqual(both);
    expect(server.received).toEqual(['many|', '-one-|-|---|-|', 'oneone|', 'oneone|', 'oneone|']);
    expect(logged.mock.calls).toEqual([
      ['Inserts of several rows at once fail, and are sent row by row, which takes longer: no (42501)'],
    ]);
    const later = performance.now() + 60_001;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    await send(server, later, 'a', 'b');
    expect(server.received[5]).toBe('many|');
  });

  describe('with inserts that only fail when they are combined', () => {
    let now = 1_000_000;
    let answerMs: number;
    const refusingCombined = () =>
      new FakePostgres(
        (asked) => {
          if (asked === 'many|') return [error('23502'), READY];
          return asked === 'oneone|'
            ? [done(['a']), done(['b']), READY]
            : [...triedFor('a'), ...triedFor('b')];
        },
        () => void (now += answerMs),
      );
    beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));

    it('remembers that, even if all are late once it is found out', async () => {
      answerMs = 200;
      const busy = { name: 'DatabaseBusy' };
      expect(await send(refusingCombined(), now, 'a', 'b')).toMatchObject([busy, busy, undefined]);
      expect(target.combining.failure).toMatchObject({ code: '23502' });
    });

    it('combines them again after a minute, however many there are meanwhile', async () => {
      answerMs = 1;
      const server = refusingCombined();
      await send(server, now, 'a', 'b');
      now += 59_990;
      answerMs = 20; // the minute ends before the answer
      await send(server, now, 'a', 'b');
      expect(server.received.at(-1)).toBe('oneone|');
      expect(target.combining.failure).toBeUndefined();
    });

    it('remembers that, even if one of them is faulty as well', async () => {
      const answers = [
        [error('23502'), READY],
        [...triedFor('a'), done(), error('P0001'), READY, done(), READY, ...triedFor('c')],
        [error('23502'), READY],
        [done(['a']), done(['c']), READY],
      ];
      const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] as Buffer[]);
      expect(await send(server, now, 'a', 'b', 'c')).toMatchObject([
        [{ name: 'a' }],
        { code: 'P0001' },
        [{ name: 'c' }],
        undefined,
      ]);
      expect(server.received.slice(2)).toEqual(['many|', 'oneone|']);
      expect(target.combining.failure).toMatchObject({ code: '23502' });
    });

    it('is not misled by one that is faulty only beside others', async () => {
      const full = [error('P0001'), READY];
      const answers = [
        full,
        [...triedFor('a'), ...triedFor('b')],
        [done(['a']), ...full],
        [done(['a']), READY, ...full],
      ];
      const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] as Buffer[]);
      expect(await send(server, now, 'a', 'b')).toMatchObject([
        [{ name: 'a' }],
        { code: 'P0001' },
        undefined,
      ]);
      expect(server.received.slice(2)).toEqual(['oneone|', 'one|one|']);
      expect(target.combining.failure).toBeUndefined();
    });

    it('stores each of them apart beside a faulty one', async () => {
      const faulty = [error('P0001'), READY];
      const answers = [
        [error('23502'), READY],
        [...triedFor('a'), ...triedFor('b'), ...triedFor('c')],
        [done(['a']), done(['b']), done(['c']), READY],
        [done(['a']), ...faulty],
        [done(['a']), READY, ...faulty, done(['c']), READY],
      ];
      const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] as Buffer[]);
      await send(server, now, 'a', 'b', 'c');
      expect(await send(server, now, 'a', 'b', 'c')).toMatchObject([
        [{ name: 'a' }],
        { code: 'P0001' },
        [{ name: 'c' }],
        undefined,
      ]);
      expect(server.received.slice(2)).toEqual(['oneoneone|', 'oneoneone|', 'one|one|one|']);
    });
  });

  it('goes on combining inserts of which one is faulty', async () => {
    const server: FakePostgres = new FakePostgres((asked) => {
      if (asked === 'many|')
        return server.received.length === 3 ? [done(['b', '1'], ['c', '2']), READY] : [error('23502'), READY];
      return [done(), error('23502'), READY, done(), READY, ...triedFor('b'), ...triedFor('c')];
    });
    expect(await send(server, performance.now(), 'a', 'b', 'c')).toMatchObject([
      { cause: { code: '23502' } },
      [{ name: 'b' }],
      [{ name: 'c' }],
      undefined,
    ]);
    expect(target.combining.failure).toBeUndefined();
  });

  it('combines the inserts of a cluster each time: there, each statement of a batch would be stored at once', async () => {
    const distribution = { mayBeStored: () => false, insertOf: (statement: unknown) => statement };
    Object.assign(target, { distribution });
    const server = new FakePostgres((asked) => {
      if (asked === 'one|') return [error('23502'), READY];
      return asked === 'one|one|'
        ? [done(['a']), READY, done(['b']), READY]
        : [...triedFor('a'), ...triedFor('b')];
    });
    for (let i = 0; i < 2; i++) await send(server, performance.now(), 'a', 'b');
    const batch = ['-|', '---|-|---|-|', '-|', '-|-|']; // whether prepared or not
    expect(server.received.map((asked) => asked.replaceAll('one', '-'))).toEqual([...batch, ...batch]);
  });

  it('keeps the rows of reads in front of a faulty one, and asks for the others apart', async () => {
    Object.assign(target, { kind: 'read' });
    const faulty = [error('P0001'), READY];
    const server: FakePostgres = new FakePostgres(() =>
      server.received.length === 1
        ? [done(['a']), ...faulty]
        : [...faulty, done(['c']), READY, ...faulty, done(['e']), READY],
    );
    const size = new BatchSize(5, 10);
    Object.assign(target, { size });
    expect(await send(server, performance.now(), 'a', 'b', 'c', 'd', 'e')).toMatchObject(REFUSED_B_AND_D);
    expect(server.received).toEqual(['oneoneoneoneone|', 'one|one|one|one|']);
    expect(size.most).toBe(5); // what the server left undone was quick
  });

  it('asks for the reads in front of a conflict again', async () => {
    Object.assign(target, { kind: 'read' });
    const server: FakePostgres = new FakePostgres(() =>
      server.received.length === 1
        ? [done(['old']), error('40001'), READY]
        : [done(['a']), READY, done(['b']), READY],
    );
    expect(await send(server, performance.now(), 'a', 'b')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      undefined,
    ]);
  });

  describe('behind a pooler, where each transaction takes a round trip,', () => {
    beforeEach(() => void Object.assign(target, { named: false }));
    const names = ['a', 'b', 'c', 'd', 'e'];
    /** In front of the statements of each transaction is that for its settings. */
    const stored = (...rows: string[]) => [done(), ...rows.map((row) => done([row, '1']))];
    const faulty = [described, error('P0001'), READY];
    const answering = (...answers: Buffer[][]): FakePostgres => {
      const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] ?? []);
      return server;
    };

    it('asks for the reads behind a faulty one together', async () => {
      Object.assign(target, { kind: 'read' });
      const server = answering(
        [...stored('a'), ...faulty],
        [...stored('c'), ...faulty],
        [...stored('e'), READY],
      );
      expect(await send(server, performance.now(), ...names)).toMatchObject(REFUSED_B_AND_D);
      expect(server.received).toEqual(['------|', '----|', '--|']);
    });

    it('finds faulty inserts one after another, and stores the others together', async () => {
      const server = answering(
        [...stored(), ...faulty], // all combined
        [...stored('a'), ...faulty],
        [...stored('a', 'c'), ...faulty],
        [...stored('a', 'c', 'e'), READY],
      );
      expect(await send(server, performance.now(), ...names)).toMatchObject(REFUSED_B_AND_D);
      expect(server.received).toEqual(['--|', '------|', '-----|', '----|']);
    });

    it('learns nothing from inserts of which one is faulty', async () => {
      const missing = [described, error('23502'), READY];
      const server = answering(
        [...stored(), ...missing],
        [...stored('a'), ...missing],
        [...stored('a'), READY],
      );
      expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([
        [{ name: 'a' }],
        { cause: { code: '23502' } },
        undefined,
      ]);
      expect(target.combining.failure).toBeUndefined();
    });

    it('looks for faulty inserts among 16 at a time, as many as are answered in time', async () => {
      const rows = Array.from({ length: 17 }, (_, i) => `row ${i}`);
      const server = answering(
        [...stored(), ...faulty],
        [...stored(...rows.slice(0, 16)), READY],
        [...stored(...rows.slice(16)), READY],
      );
      expect(await send(server, performance.now(), ...rows)).toEqual([
        ...rows.map((name) => [{ name }]),
        undefined,
      ]);
      expect(server.received).toEqual(['--|', `${'-'.repeat(17)}|`, '--|']);
    });

    it('learns nothing from inserts of which one behind the first 16 is faulty', async () => {
      const rows = Array.from({ length: 17 }, (_, i) => `row ${i}`);
      const missing = [described, error('23502'), READY];
      const server = answering(
        [...stored(), ...missing],
        [...stored(...rows.slice(0, 16)), READY],
        [...stored(), ...missing],
      );
      expect((await send(server, performance.now(), ...rows)).at(16)).toMatchObject({
        cause: { code: '23502' },
      });
      expect(target.combining.failure).toBeUndefined();
    });

    it('learns nothing from inserts that are late after the first attempt', async () => {
      const since = performance.now();
      jest.spyOn(performance, 'now').mockReturnValue(since);
      const server = new FakePostgres(() => {
        jest.spyOn(performance, 'now').mockReturnValue(since + 351);
        return [...stored(), described, error('23502'), READY];
      });
      expect((await send(server, since, 'a', 'b')).at(1)).toMatchObject({ name: 'DatabaseBusy' });
      expect(target.combining.failure).toBeUndefined();
    });

    it('learns that inserts cannot be combined from the first 16, if the others are late by then', async () => {
      const rows = Array.from({ length: 17 }, (_, i) => `row ${i}`);
      const since = performance.now();
      jest.spyOn(performance, 'now').mockReturnValue(since + 10);
      const server: FakePostgres = new FakePostgres(() => {
        if (server.received.length === 1) return [...stored(), described, error('23502'), READY];
        jest.spyOn(performance, 'now').mockReturnValue(since + 351);
        return [...stored(...rows.slice(0, 16)), READY];
      });
      expect((await send(server, since, ...rows)).at(16)).toMatchObject({ name: 'DatabaseBusy' });
      expect(target.combining.failure).toMatchObject({ code: '23502' });
    });

    it('tries an insert of many once more after a conflict', async () => {
      const rows = Array.from({ length: 12 }, (_, i) => `row ${i}`);
      const atCommit = [error('23505'), READY];
      const server = answering(
        [done(), done(...rows.map((row, i) => [row, String(i + 1)])), ...atCommit],
        [...stored(...rows), ...atCommit],
        ...rows.slice(0, 11).map((row) => [...stored(row), READY]),
        [...stored(), described, error('40001'), READY],
        [...stored('row 11'), READY],
      );
      expect(await send(server, performance.now(), ...rows)).toEqual([
        ...rows.map((name) => [{ name }]),
        undefined,
      ]);
    });

    it('stores inserts apart that only fail at the commit', async () => {
      const atCommit = [error('23505'), READY];
      const server = answering(
        [done(), done(['a', '1'], ['b', '2']), ...atCommit],
        [...stored('a', 'b'), ...atCommit],
        [...stored('a'), READY],
        [...stored('b'), READY],
      );
      expect(await send(server, performance.now(), 'a', 'b')).toEqual([
        [{ name: 'a' }],
        [{ name: 'b' }],
        undefined,
      ]);
      expect(server.received).toEqual(['--|', '---|', '--|', '--|']);
    });

    it('has inserts that cannot be combined follow one another for a minute', async () => {
      const server = answering(
        [done(), error('23502'), READY],
        [...stored('a', 'b'), READY],
        [...stored('a', 'b'), READY],
      );
      for (let i = 0; i < 2; i++) await send(server, performance.now(), 'a', 'b');
      expect(server.received).toEqual(['--|', '---|', '---|']);
    });

    it('goes on sending inserts apart that conflict', async () => {
      const server = new FakePostgres(() => [done(), error('40001'), READY]);
      await send(server, performance.now(), 'a', 'b');
      expect(server.received.slice(0, 3)).toEqual(['--|', '---|', '--|']);
      expect(new Set(server.received.slice(3))).toEqual(new Set(['--|']));
    });

    it('gives up when the settings always fail', async () => {
      Object.assign(target, { kind: 'read' });
      const server = new FakePostgres(() => [error('53200'), READY]);
      const refused = { cause: { code: '53200' } };
      expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([refused, refused, undefined]);
      expect(server.received.length).toBeLessThanOrEqual(7);
    });

    it('tries conflicts and settings that failed again, however many reads were faulty', async () => {
      Object.assign(target, { kind: 'read' });
      const bad = Array.from({ length: 7 }, (_, i) => `bad ${i}`);
      const server = answering(
        ...bad.map(() => [...stored(), ...faulty]),
        [error('53200'), READY], // at the settings
        [...stored(), error('40001'), READY],
        [...stored('a'), READY],
        [...stored('b'), READY],
      );
      const answers = await send(server, performance.now(), ...bad, 'a', 'b');
      expect(answers.slice(0, 7)).toMatchObject(bad.map(() => ({ code: 'P0001' })));
      expect(new Set(answers.slice(7))).toEqual(new Set([[{ name: 'a' }], [{ name: 'b' }], undefined]));
    });
  });

  it('takes a new connection in place of one of over 10 s, whose session may be the cause', async () => {
    Object.assign(target, { kind: 'read' });
    const server: FakePostgres = new FakePostgres(() =>
      server.connections === 1 ? [error('42804'), READY] : [done(['a']), READY],
    );
    server.ageMs = 9_000;
    expect(await send(server, performance.now(), 'a')).toMatchObject([
      { name: 'DatabaseRefusal' },
      undefined,
    ]);
    server.ageMs = 11_000;
    expect(await send(server, performance.now(), 'a')).toEqual([[{ name: 'a' }], undefined]);
    expect(server.connections).toBe(2);
  });

  it('refuses a statement that also fails when it is prepared anew, and keeps the connection', async () => {
    Object.assign(target, { kind: 'read' });
    const server = new FakePostgres(() => [described, error('42501'), READY]);
    const refused = [{ name: 'DatabaseRefusal' }, undefined];
    for (let i = 0; i < 3; i++) expect(await send(server, performance.now(), 'a')).toMatchObject(refused);
    expect(server.received).toHaveLength(1 + 2 + 2);
    expect(server.connections).toBe(1);
  });

  it.each(['23505', '26000', '40001', '42P01', 'P0001'])(
    'stops retrying when all queries fail with %s',
    async (code) => {
      const server = new FakePostgres((asked) =>
        [...asked.matchAll(/\|/g)].flatMap(() => [error(code), READY]),
      );
      const [first, second] = await send(server, performance.now(), 'a', 'b');
      expect([first, second]).toEqual([expect.any(Error), expect.any(Error)]);
      expect(server.received.length).toBeLessThanOrEqual(7);
    },
  );

  it('takes no statement for prepared that another transaction sent without its name', async () => {
    const server = new FakePostgres((asked) => {
      if (asked === 'many|') return [error('23505'), READY];
      if (asked === '-one-|-|---|-|')
        return [done(), error('55P03'), READY, done(), READY, done(), done(), done(), READY, done(), READY];
      return [done(['b']), READY];
    });
    await send(server, performance.now(), 'a', 'b');
    expect(server.received).toEqual(['many|', '-one-|-|---|-|', '-one|']);
    expect(server.prepared).toEqual(['many', '', 'one', '', '', '', '', '', '', '', 'one']);
  });

  it('prepares a statement without rows once', async () => {
    Object.assign(target, { kind: 'read' });
    const server = new FakePostgres((asked) => {
      if (asked === 'oneoneone|') return [doneWithoutRows, error('22012'), READY];
      return [error('22012'), READY, doneWithoutRows, READY];
    });
    await send(server, performance.now(), 'a', 'b', 'c');
    expect(server.received).toEqual(['oneoneone|', 'one|one|']);
    expect(server.prepared).toEqual(['one']);
  });

  it('stops retrying when the commit fails', async () => {
    const server = new FakePostgres((asked) =>
      asked
        .split('|')
        .slice(0, -1)
        .flatMap((names) => [
          ...(names.match(/many|one|-/g) ?? []).map(() => done()),
          ...(asked.includes('---') ? [] : [error('23505')]),
          READY,
        ]),
    );
    expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([
      { code: '23505' },
      { code: '23505' },
      undefined,
    ]);
    expect(server.received).toEqual(['many|', '-one-|-|---|-|', 'many|', 'one|one|']);
  });

  it('accepts an answer that arrived while the process was stopped', async () => {
    const stopped = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    const server = new FakePostgres(() => [done(['a']), READY], stopped);
    expect(await send(server, performance.now(), 'a')).toEqual([[{ name: 'a' }], undefined]);
  });

  it('does not retry late queries', async () => {
    const server = new FakePostgres(() => [error('23505'), READY]);
    expect(await send(server, performance.now() - 400, 'a', 'b')).toMatchObject([
      { name: 'DatabaseBusy' },
      { name: 'DatabaseBusy' },
      undefined,
    ]);
    expect(server.received).toHaveLength(1);
  });
});
