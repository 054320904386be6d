import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { DatabaseError } from 'pg';
import type { ServerClient } from '../availability.js';
import { readSockets } from '../../common/patience.js';
import { StallWatch } from './stall-watch.js';

const START = 'The database does not complete statements, which are answered 503: wait event';
const IGNORANCE =
  'pg_stat_activity does not tell what server processes do, so connections whose answers got lost are closed late: track_activities is off';
const DEAD = 'Dead connections to the database are closed: 2, whose answers got lost.';
const lines: string[] = [];

beforeEach(() => {
  for (const level of ['error', 'warn'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  jest.restoreAllMocks();
  lines.length = 0;
});

/** Longer than the watch takes. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 2; i++) await readSockets();
};

interface Overdue extends ServerClient {
  readonly processID: number;
  readonly connection: { stream: { destroy: jest.Mock } };
}

const overdueAt = (...events: unknown[]) => ({
  committedAt: -Infinity,
  recordLostAnswers: jest.fn(),
  overdue: new Set(
    events.map((_, i) => {
      const connection = { stream: { once: jest.fn(), destroy: jest.fn() } };
      return { processID: i + 1, connection } as unknown as Overdue;
    }),
  ),
});

const WORKING = { isOwn: false, isActive: true, isWorking: true, isMarked: true };

/** A heartbeat's connection to a server whose processes 1, 2, … wait for these events. `undefined` is gone. */
const serverWith = (events: (string | null | undefined)[], processID = 99, isTracked = true) => ({
  processID,
  query: jest.fn(async (_text: string) => ({
    rows: [
      ...events.map((event, i) => ({ ...WORKING, pid: i + 1, isMarked: !event?.includes('PgSleep'), event })),
      { ...WORKING, pid: 99, isOwn: true, isActive: isTracked, isWorking: false, event: null },
    ].filter((row): row is typeof row & { event: string | null } => row.event !== undefined),
  })),
});

it('A stall is logged from the second overdue answer on, until none is overdue', async () => {
  const watch = new StallWatch('', 0, 0);
  const events = ['IPC/SyncRep', 'IPC/SyncRep', 'IPC/SyncRep'];
  for (const count of [0, 1, 2, 3, 1, 2]) {
    watch.watch(overdueAt(...events.slice(0, count)), serverWith(events));
    await turn();
    expect(lines).toEqual(count < 2 && lines.length === 0 ? [] : [`${START} IPC/SyncRep`]);
  }
  watch.watch(overdueAt(), serverWith(events));
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^The database completes statements again, after \d+\.\d s\.$/),
  ]);
});

it('A stall is logged without its wait event if there is no connection to ask on, and none is known to hang', async () => {
  const at = overdueAt('?', '?');
  new StallWatch().watch(at);
  await turn();
  expect(lines).toEqual([`${START} unknown`]);
  expect([...at.overdue].map(({ hangsSince }) => hangsSince)).toEqual([undefined, undefined]);
});

it('A stall is asked for again if the question fails, but not with every heartbeat', async () => {
  const events = ['IPC/SyncRep', 'IPC/SyncRep'];
  const server = serverWith(events);
  server.query.mockRejectedValueOnce(new Error('Connection terminated'));
  const watch = new StallWatch('', 0, 0);
  for (let i = 0; i < 2; i++) {
    watch.watch(overdueAt(...events), server);
    await turn();
  }
  expect(lines).toEqual([`${START} IPC/SyncRep`]);
  const seldom = new StallWatch();
  for (let i = 0; i < 3; i++) seldom.watch(overdueAt(...events), server);
  expect(server.query).toHaveBeenCalledTimes(6);
  await turn();
});

it('Connections are closed whose server processes are gone or wait for the client, and no others', async () => {
  const events = ['Client/ClientRead', undefined, 'IPC/SyncRep', 'IO/DataFileRead', null];
  const at = overdueAt(...events);
  new StallWatch('', 0, 0).watch(at, serverWith(events));
  await turn();
  const clients = [...at.overdue];
  const closed = clients.map(({ connection }) => connection.stream.destroy.mock.calls.length);
  expect(closed).toEqual([1, 1, 0, 0, 0]);
  const hangs = clients.map(({ hangsSince }) => hangsSince !== undefined);
  expect(hangs).toEqual([false, false, false, true, true]);
  expect(at.recordLostAnswers).toHaveBeenCalledTimes(1);
  expect(lines).toEqual([DEAD, `${START} IPC/SyncRep`]);
});

it.each([
  ['none works', ['Client/ClientRead', undefined], true, [1, 1], [`${START} unknown`, DEAD]],
  ['one works', [undefined, 'IO/WALSync'], true, [1, 0], [`${START} IO/WALSync`, DEAD.replace('2', '1')]],
  [
    'one works, beside those of others',
    ['IO/WALSync', 'Timeout/PgSleep', 'Timeout/PgSleep'],
    true,
    [1, 1, 0],
    [`${START} IO/WALSync`, DEAD],
  ],
  ['as many work, or more', ['IPC/SyncRep', null, null], true, [0, 0, 0], [`${START} IPC/SyncRep`]],
  ['that is unknown', [undefined, undefined], false, [0, 0], [IGNORANCE, `${START} unknown`]],
])(
  'Behind a pooler, whose process ids are its own, if %s, as many connections are closed after a while as wait in vain',
  async (_when, events, isTracked, closed, logged) => {
    const at = overdueAt(...events);
    const watch = new StallWatch('', 0, 0);
    const now = Math.ceil(performance.now()); // of fractions, sums are not exact
    for (const ms of [0, 499, 500]) {
      jest.spyOn(performance, 'now').mockReturnValue(now + ms);
      watch.watch(at, serverWith(events, 7, isTracked));
      await turn();
      const calls = [...at.overdue].map(({ connection }) => connection.stream.destroy.mock.calls.length);
      expect(calls).toEqual(ms < 500 ? closed.map(() => 0) : closed);
    }
    expect([...at.overdue].map(({ hangsSince }) => hangsSince)).toEqual(closed.map(() => now));
    expect(lines).toEqual(logged);
  },
);

it.each([
  ['cannot be read', 'permission denied for view pg_stat_activity', () => forbidden],
  ['has only idle sessions, behind a pooler', 'track_activities is off', () => serverWith([], 7, false)],
] as const)(
  'While pg_stat_activity %s, two connections are closed after ten seconds, and then less and less often',
  async (_how, reason, server) => {
    const at = overdueAt(...Array.from({ length: 20 }, () => '?'));
    const watch = new StallWatch('', 0, 0);
    const now = Math.ceil(performance.now());
    const closed = [];
    const times = [
      0, 9_999, 10_000, 12_999, 13_000, 18_999, 19_000, 31_000, 55_000, 103_000, 162_999, 163_000,
    ];
    for (const ms of times) {
      jest.spyOn(performance, 'now').mockReturnValue(now + ms);
      watch.watch(at, server());
      await turn();
      const isClosed = ({ connection }: Overdue) => connection.stream.destroy.mock.calls.length > 0;
      closed.push([...at.overdue].filter(isClosed).length);
      for (const each of at.overdue) if (isClosed(each)) at.overdue.delete(each);
    }
    expect(closed).toEqual([0, 0, 2, 0, 2, 0, 2, 2, 2, 2, 0, 2]);
    expect(at.recordLostAnswers).not.toHaveBeenCalled();
    expect(lines[0]).toBe(IGNORANCE.replace('track_activities is off', reason));
    expect(lines.filter((line) => line.startsWith('pg_stat'))).toHaveLength(1);
  },
);

it('While pg_stat_activity cannot be read, those are closed after three seconds that a later commit was answered beside', async () => {
  const at = overdueAt('?', '?', '?', '?');
  const [, , later, latest] = at.overdue;
  for (const each of [later!, latest!]) at.overdue.delete(each);
  const watch = new StallWatch('', 0, 0);
  const now = Math.ceil(performance.now());
  const closed = [];
  for (const ms of [0, 1_000, 2_999, 3_000, 3_500, 4_000, 7_000, 12_000, 20_000, 80_000, 83_000]) {
    jest.spyOn(performance, 'now').mockReturnValue(now + ms);
    if (ms === 4_000) at.overdue.add(later!);
    if (ms === 80_000) at.overdue.add(latest!);
    at.committedAt = now + ms - 1;
    watch.watch(at, forbidden);
    await turn();
    const isClosed = ({ connection }: Overdue) => connection.stream.destroy.mock.calls.length > 0;
    closed.push([...at.overdue].filter(isClosed).length);
    for (const each of at.overdue) if (isClosed(each)) at.overdue.delete(each);
  }
  expect(closed).toEqual([0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1]);
});

const forbidden = {
  query: () =>
    Promise.reject(
      Object.assign(new DatabaseError('permission denied for view pg_stat_activity', 1, 'error'), {
        code: '42501',
      }),
    ),
};

it('Asks, and ends reads that were given up, with the mark of its own statements, to know them', async () => {
  const server = serverWith([]);
  new StallWatch('/* mine */ ').watch(overdueAt('?'), server);
  await turn();
  const [asking, ending] = server.query.mock.calls.map(([text]) => text);
  expect(asking).toMatch(/^\/\* mine \*\/ SELECT .*starts_with\(query, '\/\* mine \*\/ '\)/s);
  expect(ending).toMatch(/^\/\* mine \*\/ SELECT pg_cancel_backend\(pid\)/);
  expect(ending).toMatch(/ starts_with\(query, '\/\* mine \*\/ SELECT'\) .* xact_start < .* '600 ms'$/s);
});

it('Ends those on its own connections, without a pooler', async () => {
  const server = serverWith([]);
  new StallWatch().watch(overdueAt('?', '?'), server);
  await turn();
  expect(server.query.mock.calls[1]?.[0]).toMatch(
    / starts_with\(query, 'SELECT'\) .* pid = ANY\('\{1,2\}'\)$/s,
  );
});
