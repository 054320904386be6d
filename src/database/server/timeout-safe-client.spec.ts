import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import pg, { type Connection, DatabaseError } from 'pg';
import { PROCESS_MARK } from './process-mark.js';
import { Session } from './session.js';
import { TimeoutSafeClient } from './timeout-safe-client.js';

/** As PostgreSQL ends the answer of a transaction. */
const READY = 'Z\0\0\0\x05I';

let started = 0;
beforeEach(() => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(++started * 60_000); // later than whatever the test before found
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

function isOutdatedAfter(code: string, client: TimeoutSafeClient, routine = ''): boolean {
  const { connection } = client as unknown as { connection: Connection };
  connection.emit('refusal', { code, routine });
  return client.isOutdated;
}

it.each([
  ['settings of its role', '42501', 2_000],
  ['types that a function uses', '42804', 10_000],
])('A connection whose session may have %s as they were is replaced, unless it is new', (_, code, ms) => {
  const client = new TimeoutSafeClient({ session: new Session() });
  jest.advanceTimersByTime(ms);
  expect(isOutdatedAfter(code, client)).toBe(false);
  jest.advanceTimersByTime(1);
  expect(isOutdatedAfter(code, client)).toBe(true);
});

it.each([
  ['was young, not for a second', null, false],
  [
    'may not be ended, not for a second',
    Object.assign(new DatabaseError('no', 1, 'error'), { code: '42501' }),
    false,
  ],
  ['has ended', Object.assign(new DatabaseError('no', 1, 'error'), { code: '57P01' }), true],
  ['has ended with its connection', new Error('Connection terminated unexpectedly'), true],
] as const)(
  'Of a pooler, new connections may have old sessions; after one that %s',
  (_what, error, isNextAsked) => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    query.mockImplementation((_text: unknown, answer: (error: Error | null) => void) => answer(error));
    const client = Object.assign(new TimeoutSafeClient(), { readyForQuery: true });
    expect(isOutdatedAfter('42804', client)).toBe(true);
    const after = jest.fn();
    client.endSession(after);
    expect(after).toHaveBeenCalledTimes(1);
    expect(isOutdatedAfter('42804', new TimeoutSafeClient())).toBe(isNextAsked);
    jest.advanceTimersByTime(1_001);
    expect(isOutdatedAfter('42804', new TimeoutSafeClient())).toBe(true);
  },
);

it.each([
  ['kept until both end', 'of two transactions', true, '', [READY, READY]],
  ['kept until it ends', 'of the second of two transactions', true, READY, [READY]],
  ['kept until it ends', 'that stops within a message', true, READY.slice(0, 3), [READY.slice(3)]],
  ['kept until it ends', 'of the second of two, of a pooler,', false, READY, [READY]],
  ['closed', 'that stops within a message, of a pooler,', false, READY.slice(0, 3), []],
])('A connection is %s whose answer %s is overdue', (_what, _which, isDirect, begun, rest) => {
  const stream = new PassThrough();
  const config = isDirect ? { session: new Session() } : undefined;
  const client = Object.assign(new TimeoutSafeClient(config), { readyForQuery: false });
  const { connection } = client as unknown as {
    connection: Connection & { attachListeners(stream: PassThrough): void };
  };
  Object.assign(connection, { stream });
  connection.attachListeners(stream);
  stream.emit('data', Buffer.from(begun));
  client.abandon(rest.length, () => {});
  expect(client.isAbandoned).toBe(rest.length > 0);
  for (const bytes of rest) {
    expect(stream.destroyed).toBe(false);
    stream.emit('data', Buffer.from(bytes));
  }
  expect(stream.destroyed).toBe(true);
});

it('What a function raises does not come from the session', () => {
  const client = new TimeoutSafeClient({ session: new Session() });
  jest.advanceTimersByTime(60_000);
  expect(isOutdatedAfter('22P02', client, 'exec_stmt_raise')).toBe(false);
});

it.each([
  ['42501', '2000 milliseconds'],
  ['42804', '5000 milliseconds'],
])('Of a pooler, a session is ended after %s if it is older than %s', (code, age) => {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  query.mockImplementation(() => {});
  const client = Object.assign(new TimeoutSafeClient(), { readyForQuery: true });
  isOutdatedAfter(code, client);
  client.endSession(() => {});
  expect(query.mock.calls[0]?.[0]).toMatchObject({ text: expect.stringContaining(age) as unknown });
});

it.each([
  ['Through a pooler, each statement begins with the mark of this process', undefined, PROCESS_MARK],
  ['Without one, statements have no mark', new Session(), ''],
])('%s', (_what, session, mark) => {
  const { connection } = new TimeoutSafeClient({ session }) as unknown as { connection: Connection };
  const sent: string[] = [];
  Object.assign(connection, {
    stream: { writable: true, write: (bytes: Buffer) => sent.push(bytes.toString('latin1')) },
  });
  connection.query('COMMIT');
  connection.parse({ name: '', text: 'SELECT 1' } as never, true);
  expect(sent.map((bytes) => bytes.slice(5))).toEqual([`${mark}COMMIT\0`, `\0${mark}SELECT 1\0\0\0`]);
});
