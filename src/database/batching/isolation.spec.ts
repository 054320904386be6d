import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { done, error, FakePostgres, READY } from '../../../test/support/fake-postgres.js';
import { sendBatch, type TargetOfTest, targetOf } from '../../../test/support/send-batch.js';
import { BatchSize } from './batch-size.js';
import { DatabaseBusy } from '../database-errors.js';
import { Owners } from './owners.js';
import { PROBED, Probes } from './probes.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

/** BEGIN, limits and a savepoint; behind each insert its constraints are checked, and the next savepoint is set. */
const TWO = '---|-one---|-----|---|';
const THREE = '---|-one---|-----|-----|---|';
/** Once the statement is prepared. */
const TWO_MORE = '---|-one---|-one---|---|';

const kept = (name: string): Buffer[] => [done([name]), done(), done(), done(), READY];
const failed = (code: string): Buffer[] => [error(code), READY];
const COMMITTED = [done(), done(), done(), READY];

/** Answers to isolated inserts. */
function isolated(...units: Buffer[][]): Buffer[] {
  return [done(), done(), done(), READY, ...units.flatMap((unit) => [done(), ...unit]), ...COMMITTED];
}

const stored = (...names: string[]) => names.map((name) => [{ name }]);
const UNKNOWN = { name: 'OutcomeUnknown' };

describe('Isolated inserts', () => {
  let target: TargetOfTest;
  let now: number;
  beforeEach(() => {
    target = targetOf('write');
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  const send = async (server: FakePostgres, ...names: string[]): Promise<unknown[]> => {
    const outcomes = await sendBatch(server, target, names, () => now);
    expect(outcomes.pop()).toBeUndefined(); // how it ended
    return outcomes;
  };

  /** Takes 1 ms for each batch. */
  const answering = (...answers: Buffer[][]): FakePostgres =>
    Object.assign(FakePostgres.answering(...answers), { beforeAnswer: () => void (now += 1) });

  it('stores the others together when one fails without any before it', async () => {
    const server = answering(failed('23514'), isolated(failed('23514'), kept('b'), kept('c')));
    expect(await send(server, 'a', 'b', 'c')).toMatchObject([{ code: '23514' }, ...stored('b', 'c')]);
    expect(server.received).toEqual(['many|', THREE]);
  });

  it('sends those once more that failed behind others, without these', async () => {
    const refused = failed('23514');
    const server = answering(
      refused,
      isolated(kept('a'), refused, kept('c'), refused),
      isolated(refused, refused),
    );
    expect(await send(server, 'a', 'b', 'c', 'd')).toMatchObject([
      ...stored('a'),
      { code: '23514' },
      ...stored('c'),
      { code: '23514' },
    ]);
    expect(server.received.at(-1)).toBe(TWO_MORE);
  });

  it('stores an insert that only fails beside others', async () => {
    const server = answering(failed('P0001'), isolated(kept('a'), failed('P0001')), [done(['b']), READY]);
    expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect(server.received).toEqual(['many|', TWO, 'one|']);
  });

  it('stores inserts apart of which each only fails beside another', async () => {
    const full = failed('P0001');
    const server = answering(full, isolated(kept('a'), full, full, full), isolated(kept('b'), full, full), [
      done(['c']),
      READY,
      done(['d']),
      READY,
    ]);
    expect(await send(server, 'a', 'b', 'c', 'd')).toEqual(stored('a', 'b', 'c', 'd'));
    expect(server.received.at(-1)).toBe('one|one|');
  });

  it('takes what fails with the check of the constraints for the fault of the insert before it', async () => {
    const server = answering(failed('23514'), isolated([done(['a']), error('23514'), READY], kept('b')));
    expect(await send(server, 'a', 'b')).toMatchObject([{ code: '23514' }, ...stored('b')]);
  });

  it('waits longer for a lock alone that an insert met beside others', async () => {
    const server = answering(failed('23514'), isolated(failed('55P03'), kept('b')), [done(['a']), READY]);
    expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect([server.received, target.locks.isRecent]).toEqual([['many|', TWO, 'one|'], false]);
  });

  it('notes a lock that an insert without others met, as it waited long enough', async () => {
    target.isolation.begin(1_000);
    const busy = { name: 'DatabaseBusy' };
    expect(await send(answering(isolated(failed('55P03'))), 'a')).toMatchObject([busy]);
    expect(target.locks.isRecent).toBe(true);
  });

  describe('where inserts that meet locks wait elsewhere', () => {
    const letWait = jest.fn<(query: PendingQuery, isOfOwner: boolean) => boolean>();
    const locked = failed('55P03');
    beforeEach(() => {
      letWait.mockReset().mockImplementation(({ resolve }) => {
        resolve([{ name: 'waited' }]);
        return true;
      });
      target = { ...target, letWait };
    });

    it('leaves those to wait that met one, once', async () => {
      const server = answering(failed('23514'), isolated(kept('a'), locked, kept('c')));
      expect(await send(server, 'a', 'b', 'c')).toEqual(stored('a', 'waited', 'c'));
      expect(server.received).toEqual(['many|', THREE]);
      expect(letWait.mock.calls).toEqual([[expect.objectContaining({ values: ['b'] }), true]]);
    });

    it('blames no owner when none of the others is kept either', async () => {
      await send(answering(failed('23514'), isolated(locked, locked)), 'a', 'b');
      expect(letWait.mock.calls.map(([, isOfOwner]) => isOfOwner)).toEqual([false, false]);
    });

    it('does not wait in a probe, which shows what each insert takes', async () => {
      const probes = new Probes(new Owners());
      probes.tookTooLong();
      target = { ...target, probes };
      const server = answering(isolated(locked, kept('b')));
      const texts: string[] = [];
      server.onParse = ({ text }) => void texts.push(text);
      expect(await send(server, 'a', 'b')).toEqual(stored('waited', 'b'));
      expect(texts).toContainEqual(expect.stringContaining(`'lock_timeout', '1'`));
      expect(target.locks.isRecent).toBe(false);
    });

    it('leaves the lone one to wait that met one', async () => {
      const probes = new Probes(new Owners());
      const combined = jest.spyOn(probes, 'combined');
      target = { ...target, probes };
      expect(await send(answering(locked), 'a')).toEqual(stored('waited'));
      expect(letWait.mock.calls).toEqual([[expect.anything(), true]]);
      expect(combined).not.toHaveBeenCalled(); // it tells nothing about the time of batches
    });

    it('refuses those for which there is no place, and those that are late', async () => {
      const busy = { name: 'DatabaseBusy', cause: { code: '55P03' } };
      letWait.mockReturnValue(false);
      expect(await send(answering(locked), 'a')).toMatchObject([busy]);
      letWait.mockClear();
      const server = answering(locked);
      server.beforeAnswer = () => void (now += 350);
      expect(await send(server, 'a')).toMatchObject([busy]);
      expect(letWait).not.toHaveBeenCalled();
    });

    it('leaves none to wait when the commit of all of them met one', async () => {
      const server = answering(
        failed('23514'),
        [...isolated(kept('a'), kept('b')).slice(0, -COMMITTED.length), done(), done(), ...locked],
        [done(['a']), READY, done(['b']), READY],
      );
      expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
      expect(letWait).not.toHaveBeenCalled();
    });
  });

  it('waits for no lock any more once isolated inserts have met one twice', async () => {
    const locked = failed('55P03');
    const server = answering(failed('23514'), isolated(locked, locked), isolated(locked, locked), [
      done(),
      ...locked,
      done(),
      done(['b']),
      READY,
    ]);
    const busy = { name: 'DatabaseBusy', cause: { code: '55P03' } };
    expect(await send(server, 'a', 'b')).toMatchObject([busy, ...stored('b')]);
    expect(target.locks.isRecent).toBe(true);
    expect(server.received.at(-1)).toBe('-one|--|');
  });

  it.each(['57014', '55P03', '40001'])(
    'takes the %s that a trigger raises for the fault of the row',
    async (code) => {
      const raised = [error(code, 'ERROR', 'exec_stmt_raise'), READY];
      const server = answering(raised, isolated(raised, kept('b')));
      const busy = { name: 'DatabaseBusy', cause: { code } };
      expect(await send(server, 'a', 'b')).toMatchObject([busy, ...stored('b')]);
      expect([target.isolation.isOn, target.locks.isRecent]).toEqual([true, false]);
    },
  );

  it.each(['22P02', '26000'])('takes no new connection for the %s that a trigger raises', async (code) => {
    const raised = [error(code, 'ERROR', 'exec_stmt_raise'), READY];
    const server = answering(raised, isolated(raised, kept('b')));
    server.ageMs = 11_000;
    expect(await send(server, 'a', 'b')).toMatchObject([{ cause: { code } }, ...stored('b')]);
    expect(server.connections).toBe(1);
  });

  it('begins with isolated inserts for the time of 20 batches after one was refused, and combines them then', async () => {
    const both = isolated(failed('23514'), kept('b'));
    const server = answering(failed('23514'), both, both, both, [done(['a', '1'], ['b', '2']), READY]);
    await send(server, 'a', 'b');
    now += 18;
    await send(server, 'a', 'b');
    now += 18;
    await send(server, 'a', 'b');
    now += 21;
    expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect(server.received).toEqual(['many|', TWO, TWO, TWO, 'many|']);
  });

  it('goes on combining inserts after one that was alone, or took too long', async () => {
    await send(answering(failed('23514')), 'a');
    await send(answering(failed('57014'), isolated(kept('a'), failed('57014')), failed('57014')), 'a', 'b');
    expect(target.isolation.isOn).toBe(false);
  });

  it('isolates further batches even if all of this one are late by then', async () => {
    const late = () => void (now += 400);
    const server = Object.assign(answering(failed('23514')), { beforeAnswer: late });
    const busy = { name: 'DatabaseBusy' };
    expect(await send(server, 'a', 'b')).toMatchObject([busy, busy]);
    expect([target.isolation.isOn, target.isolation.cause]).toEqual([true, undefined]);
  });

  it('sends an insert without others like several, and not again if it took too long', async () => {
    target.isolation.begin(1_000);
    const server = answering(isolated(kept('a')), isolated(failed('57014')));
    expect(await send(server, 'a')).toEqual(stored('a'));
    expect(await send(server, 'a')).toMatchObject([{ name: 'DatabaseBusy' }]);
    expect(server.received).toEqual(['---|-one---|---|', '---|-one---|---|']);
  });

  describe('after a batch that took long', () => {
    let probes: Probes;
    beforeEach(() => {
      probes = new Probes(new Owners());
      target = { ...target, probes };
    });

    it('show why it was cancelled, by when its inserts are late', async () => {
      const compare = jest.spyOn(probes, 'compare');
      const server = answering(failed('57014'), isolated(kept('a'), failed('23514')), failed('23514'));
      server.beforeAnswer = () => void (now += 400);
      const busy = { name: 'DatabaseBusy' };
      expect(await send(server, 'a', 'b')).toMatchObject([busy, busy]);
      expect(compare).not.toHaveBeenCalled();
      server.beforeAnswer = () => {};
      expect(await send(server, 'a', 'b')).toMatchObject([...stored('a'), { code: '23514' }]);
      expect(compare.mock.calls[0]?.[0].statements).toHaveLength(2);
      expect(server.received).toEqual(['many|', TWO, 'one|']);
    });

    it('are few at first', async () => {
      probes.tookTooLong();
      const asked: unknown[] = [];
      const server = answering(isolated(...['a', 'b', 'c', 'd'].map(kept)), [done(['a']), READY]);
      await sendBatch(
        server,
        target,
        ['a', 'b', 'c', 'd'],
        () => now,
        (most) => asked.push(most),
      );
      await sendBatch(
        server,
        target,
        ['a'],
        () => now,
        (most) => asked.push(most),
      );
      expect(asked).toEqual([PROBED, 2 * PROBED]);
    });

    it.each([
      ['are refused once others show that they are slow', true],
      ['are tried with more time otherwise', false],
    ])('that were cancelled %s', async (_, isKnown) => {
      const owner = {};
      probes.compare = () => void (isKnown && new Owners().tookLong(owner));
      probes.tookTooLong();
      const server = answering(isolated(kept('a'), failed('57014')), [done(['b']), READY]);
      const [, outcome] = await sendBatch(server, target, ['a', 'b'], () => now, undefined, owner);
      expect(outcome).toEqual(isKnown ? expect.any(DatabaseBusy) : stored('b')[0]);
    });

    it('are tried with more time when they are those of one', async () => {
      target = { ...target, probes: new Probes(new Owners(), probes) };
      const server = answering(isolated(kept('a'), failed('57014')), [done(['b']), READY]);
      expect((await sendBatch(server, target, ['a', 'b'], () => now, undefined, {})).slice(0, 2)).toEqual(
        stored('a', 'b'),
      );
    });
  });

  it('logs why inserts only fail when they are combined', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const server = answering(
      failed('42501'),
      ...Array.from({ length: 3 }, () => isolated(kept('a'), kept('b'))),
    );
    for (let i = 0; i < 3; i++) expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect(server.received).toEqual(['many|', TWO, TWO_MORE, TWO_MORE]);
    expect(logged.mock.calls).toEqual([
      ['Inserts of several rows at once fail, and are sent row by row, which takes longer: no (42501)'],
    ]);
    now += 60_001;
    expect(target.isolation.cause).toBeUndefined();
    now -= 1_000;
    await send(answering(isolated(failed('23514'), kept('b'))), 'a', 'b');
    expect(target.isolation.cause).toMatchObject({ code: '42501' });
    now += 1_000;
    expect(target.isolation.cause).toBeUndefined(); // faulty ones do not prolong it
  });

  it('knows that inserts cannot be combined beside a faulty one', async () => {
    await send(answering(failed('23502'), isolated(failed('23514'), kept('b'))), 'a', 'b');
    expect(target.isolation.cause).toMatchObject({ code: '23502' });
    await send(answering(isolated(failed('23514'), kept('b'))), 'a', 'b');
    expect(target.isolation.cause).toMatchObject({ code: '23502' });
  });

  it.each(['23502', '40001'])(
    'does not blame combining for what a row caused, or a moment: %s',
    async (code) => {
      const units = code === '40001' ? [kept('a'), kept('b')] : [failed(code), kept('b')];
      await send(answering(failed(code), isolated(...units)), 'a', 'b');
      expect(target.isolation.cause).toBeUndefined();
    },
  );

  it('does not blame combining for what one caused that was late then', async () => {
    const server = answering(failed('P0001'), isolated(kept('b'), kept('c')));
    await sendBatch(server, target, ['a', 'b', 'c'], (i) => (i === 0 ? now - 400 : now));
    expect([server.received, target.isolation.cause]).toEqual([['many|', TWO], undefined]);
  });

  it.each([
    ['as long as one insert may, all together', false, 125],
    ['hardly, soon after another has waited in vain', true, 1],
  ])('waits for locks %s', async (_how, hasWaited, ms) => {
    if (hasWaited) target.locks.note();
    const texts: string[] = [];
    const server = answering(
      [...(hasWaited ? [done()] : []), ...failed('23514')],
      isolated(kept('a'), kept('b')),
    );
    server.onParse = ({ text }) => void texts.push(text);
    await send(server, 'a', 'b');
    expect(texts).toContain(
      `SELECT set_config('lock_timeout', '${ms}', true), set_config('statement_timeout', '200', true)`,
    );
    expect(texts.at(-1)).toBe('COMMIT');
  });

  it('sets no limits in the embedded engine, which keeps none', async () => {
    target = { ...target, isEmbedded: true };
    const [begin, savepoint, ...others] = isolated(kept('a'), kept('b')).slice(1);
    const server = answering(failed('23514'), [begin!, savepoint!, ...others.slice(0, -3), done(), READY]);
    expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect(server.received).toEqual(['many|', '--|-one---|-----|--|']);
  });

  it('stores inserts apart when the commit of all fails', async () => {
    const units = isolated(kept('a'), kept('b')).slice(0, -COMMITTED.length);
    const atCommit = [...units, done(), done(), error('23505'), READY];
    const server = answering(failed('23505'), atCommit, [...failed('23505'), done(['b']), READY]);
    expect(await send(server, 'a', 'b')).toMatchObject([{ code: '23505' }, ...stored('b')]);
    expect(server.received).toEqual(['many|', TWO, 'one|one|']);
    expect(server.connections).toBe(1);
  });

  it.each(['08006', '57P01'])('does not know the outcome when the commit says so: %s', async (code) => {
    const units = isolated(kept('a'), failed('23514')).slice(0, -COMMITTED.length);
    const server = answering(
      failed('23514'),
      [...units, done(), done(), error(code, 'ERROR', 'finish'), READY],
      failed('23514'),
    );
    expect(await send(server, 'a', 'b')).toMatchObject([UNKNOWN, { code: '23514' }]);
    expect(server.received.at(-1)).toBe('one|');
  });

  it('does not know whether an insert is kept after which something failed', async () => {
    target.isolation.begin(1_000);
    const server = answering(isolated([...kept('a').slice(0, -1), error('57014'), READY], kept('b')));
    expect(await send(server, 'a', 'b')).toMatchObject([UNKNOWN, ...stored('b')]);
  });

  it('does not know the outcome of those that were kept when the connection breaks before the commit', async () => {
    target.isolation.begin(1_000);
    const server = answering(isolated(failed('23514'), kept('b')).slice(0, -COMMITTED.length));
    expect(await send(server, 'a', 'b')).toMatchObject([{ code: '23514' }, UNKNOWN]);
    expect(target.isolation.isOn).toBe(false);
  });

  it('has only the insert unknown whose trigger says so', async () => {
    const server = answering(failed('08006'), isolated(kept('a'), failed('08006')));
    expect(await send(server, 'a', 'b')).toMatchObject([UNKNOWN, UNKNOWN]); // the first attempt was all
    target.isolation.begin(1_000);
    const next = answering(isolated(kept('a'), failed('08006')));
    expect(await send(next, 'a', 'b')).toMatchObject([...stored('a'), UNKNOWN]);
  });

  it('takes a new connection when the transaction did not begin', async () => {
    const lost = [done(), ...failed('53200'), ...failed('3B001'), ...failed('3B001')];
    const server = answering(failed('23514'), lost, isolated(failed('23514'), kept('b')));
    expect(await send(server, 'a', 'b')).toMatchObject([{ code: '23514' }, ...stored('b')]);
    expect([server.received, server.connections]).toEqual([['many|', TWO, TWO], 2]);
  });

  it('takes a new connection when the transaction did not end', async () => {
    const units = isolated(kept('a'), kept('b')).slice(0, -COMMITTED.length);
    const notEnded = [...units, done(), ...failed('53200')];
    const server = answering(failed('23514'), notEnded, isolated(kept('a'), kept('b')));
    expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect([server.received, server.connections]).toEqual([['many|', TWO, TWO], 2]);
  });

  it('isolates statements that are prepared anew', async () => {
    target.isolation.begin(1_000);
    const server = answering(
      isolated(kept('a'), kept('b')),
      isolated(failed('22P02'), failed('22P02')),
      isolated(kept('a'), kept('b')),
    );
    for (let i = 0; i < 2; i++) expect(await send(server, 'a', 'b')).toEqual(stored('a', 'b'));
    expect([server.received, server.closed]).toEqual([[TWO, TWO_MORE, TWO], ['one']]);
  });

  it('lets batches grow by their time, and not by that of the first attempts', async () => {
    target = { ...target, size: new BatchSize(2, 8) };
    await send(answering(failed('23514'), isolated(failed('23514'), kept('b'))), 'a', 'b');
    expect(target.size.most).toBe(2);
    await send(answering(isolated(failed('23514'), kept('b'))), 'a', 'b');
    expect(target.size.most).toBe(4);
  });

  it('combines inserts each time on a cluster, where savepoints cost more', async () => {
    const distribution = { mayBeStored: () => false, insertOf: (statement: unknown) => statement };
    Object.assign(target, { distribution, isolation: undefined });
    const refused = [failed('23514'), isolated(failed('23514'), kept('b'))];
    const server = answering(...refused, ...refused);
    for (let i = 0; i < 2; i++)
      expect(await send(server, 'a', 'b')).toMatchObject([{ code: '23514' }, ...stored('b')]);
    expect(server.received).toEqual(['one|', TWO, 'one|', TWO]);
  });

  describe('behind a pooler, that takes no pipelined transactions,', () => {
    beforeEach(() => void Object.assign(target, { named: false }));

    it('are one transaction, and those that must be apart follow one another', async () => {
      const full = failed('P0001');
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
      const apart = (name: string) => [done(), done([name]), READY];
      const server = answering(
        [done(), ...full],
        isolated(kept('a'), ...names.slice(1).map(() => full)),
        isolated(kept('b'), ...names.slice(2).map(() => full)),
        [done(), ...full],
        ...names.slice(3, 7).map(() => [done(), ...failed('08006')]),
        ...names.slice(7, 10).map(apart),
        [done(), ...failed('40001')],
        apart('k'),
      );
      expect(await send(server, ...names)).toMatchObject([
        ...stored('a', 'b'),
        { code: 'P0001' },
        ...names.slice(3, 7).map(() => UNKNOWN),
        ...stored(...names.slice(7)),
      ]);
      expect(server.received.slice(1, 4)).toEqual([
        `---|${'-----|'.repeat(11)}---|`,
        `---|${'-----|'.repeat(10)}---|`,
        '--|',
      ]);
    });

    it('end after some attempts that always fail', async () => {
      const server = new FakePostgres((asked) =>
        [...asked.matchAll(/\|/g)].flatMap(() => [error('40001'), READY]),
      );
      const busy = { name: 'DatabaseBusy' };
      expect(await send(server, 'a', 'b')).toMatchObject([busy, busy]);
      expect(server.received.length).toBeLessThanOrEqual(8);
    });
  });
});
