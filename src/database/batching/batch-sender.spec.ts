import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  described,
  done,
  doneWithoutRows,
  error,
  FakePostgres,
  READY,
} from '../../../test/support/fake-postgres.js';
import { sendBatch, type TargetOfTest, targetOf } from '../../../test/support/send-batch.js';
import { BatchSize } from './batch-size.js';
import { type Owner, Owners } from './owners.js';
import { Probes } from './probes.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

const REFUSED_B_AND_D = [
  [{ name: 'a' }],
  { code: 'P0001' },
  [{ name: 'c' }],
  { code: 'P0001' },
  [{ name: 'e' }],
  undefined,
];

describe('BatchSender', () => {
  let target: TargetOfTest;
  beforeEach(() => void (target = targetOf('write')));
  const send = (server: FakePostgres, since: number, ...names: string[]) =>
    sendBatch(server, target, names, () => since);

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

  it('asks again, with more time, for measured reads that met a lock or took long, these last', async () => {
    const probes = new Probes(new Owners(), undefined, true);
    probes.tookTooLong();
    Object.assign(target, { kind: 'read', probes });
    const time = done(['1000']);
    const begun = [done(), done(), done(), time, READY];
    const failed = (code: string) => [done(), error(code), READY];
    const other = [done(), done(['b']), done(), time, READY];
    const server = FakePostgres.answering(
      [...begun, ...failed('57014'), ...other, ...failed('55P03'), done(), READY],
      [done(['c']), done(['a']), READY],
    );
    expect(await send(server, performance.now(), 'a', 'b', 'c')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      [{ name: 'c' }],
      undefined,
    ]);
    expect(server.received).toEqual(['----|-one--|----|----|-|', 'oneone|']);
    expect(target.locks.isRecent).toBe(false); // it has not waited for long
  });

  it('measures no more reads at once than a way that loses large packets lets pass', async () => {
    const probes = new Probes(new Owners(), undefined, true);
    const size = new BatchSize();
    Object.assign(target, { kind: 'read', probes, size });
    const taken: unknown[] = [];
    const server = FakePostgres.answering([READY], [READY]);
    for (const most of [16, 1]) {
      probes.tookTooLong();
      size.most = most;
      await sendBatch(server, target, [], undefined, (wanted) => taken.push(wanted));
    }
    expect(taken).toEqual([4, 1]);
  });

  it('moves a measured read that took long apart, once its owner is known for that', async () => {
    const owners = new Owners();
    const probes = new Probes(owners, undefined, true);
    probes.tookTooLong();
    const owner: Owner = {};
    owners.tookLong(owner);
    const moveApart = jest.fn(({ resolve }: PendingQuery) => (resolve([]), true));
    Object.assign(target, { kind: 'read', probes, moveApart });
    const time = done(['1000']);
    const begun = [done(), done(), done(), time, READY];
    const cancelled = [done(), error('57014'), READY];
    const other = [done(), done(['b']), done(), time, READY];
    const server = FakePostgres.answering([...begun, ...cancelled, ...other, done(), READY]);
    const answers = sendBatch(server, target, ['a', 'b'], undefined, undefined, owner);
    expect(await answers).toEqual([[], [{ name: 'b' }], undefined]);
    expect([moveApart.mock.calls.length, server.received.length]).toEqual([1, 1]);
  });

  describe('behind a pooler, that takes no pipelined transactions,', () => {
    beforeEach(() => void Object.assign(target, { kind: 'read', named: false }));
    const names = ['a', 'b', 'c', 'd', 'e'];
    /** In front of the statements of each transaction is that for its settings. */
    const stored = (...rows: string[]) => [done(), ...rows.map((row) => done([row, '1']))];
    const faulty = [described, error('P0001'), READY];
    const time = done(['1000']);
    /** Isolated reads: BEGIN, settings, a savepoint. */
    const begun = [done(), done(), done(), time, READY];
    const isolated = (row: string) => [done(), done([row]), done(), time, READY];
    const ended = [done(), READY];

    it('isolates the reads behind a faulty one in one transaction', async () => {
      const server = FakePostgres.answering(
        [...stored('a'), ...faulty],
        [...begun, ...isolated('c'), done(), ...faulty, ...isolated('e'), ...ended],
      );
      expect(await send(server, performance.now(), ...names)).toMatchObject(REFUSED_B_AND_D);
      expect(server.received).toEqual(['------|', '----|----|----|----|-|']);
    });

    it('has the rows that came before the connection broke', async () => {
      const server = FakePostgres.answering([...stored('a'), ...faulty], [...begun, ...isolated('c')]);
      expect(await send(server, performance.now(), 'a', 'b', 'c', 'd')).toMatchObject([
        [{ name: 'a' }],
        { code: 'P0001' },
        [{ name: 'c' }],
        { name: 'DatabaseOutage' },
        undefined,
      ]);
    });

    it('does not ask again for an isolated read that met a lock', async () => {
      const locked = [error('55P03'), READY];
      const server = FakePostgres.answering(
        [...stored('a'), ...faulty],
        [...begun, done(), ...locked, ...isolated('d'), ...ended],
      );
      expect(await send(server, performance.now(), 'a', 'b', 'c', 'd')).toMatchObject([
        [{ name: 'a' }],
        { code: 'P0001' },
        { name: 'DatabaseBusy' },
        [{ name: 'd' }],
        undefined,
      ]);
    });

    it('does not ask again for reads of which a function says that they conflict', async () => {
      const raised = [described, error('40001', 'ERROR', 'exec_stmt_raise'), READY];
      const server = FakePostgres.answering(
        [...stored('a'), ...raised],
        [...begun, done(), ...raised, ...isolated('d'), ...ended],
      );
      const busy = { name: 'DatabaseBusy', cause: { code: '40001' } };
      expect(await send(server, performance.now(), 'a', 'b', 'c', 'd')).toMatchObject([
        [{ name: 'a' }],
        busy,
        busy,
        [{ name: 'd' }],
        undefined,
      ]);
    });

    it('asks for reads apart that conflict', async () => {
      const conflict = [error('40001'), READY];
      const server = FakePostgres.answering(
        [done(), ...conflict],
        [...begun, done(), ...conflict, done(), ...conflict, ...ended],
        [...stored('a'), READY],
        [done(), ...conflict],
        [...stored('b'), READY],
      );
      expect(await send(server, performance.now(), 'a', 'b')).toEqual([
        [{ name: 'a' }],
        [{ name: 'b' }],
        undefined,
      ]);
      expect(server.received.slice(2)).toEqual(['--|', '--|', '--|']);
    });

    it('gives up when the settings always fail', async () => {
      const server = new FakePostgres((asked) =>
        [...asked.matchAll(/\|/g)].flatMap(() => [error('53200'), READY]),
      );
      const refused = { cause: { code: '53200' } };
      expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([refused, refused, undefined]);
      expect(server.received.length).toBeLessThanOrEqual(7);
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
