import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Availability } from '../availability.js';
import { Refusals } from '../refusals.js';
import { letRowsBeRead } from '../rows.js';
import type { Batch } from './batch.js';
import { Dispatch, type Route } from './dispatch.js';
import type { Execution, Row, Statement } from './statement.js';

Logger.overrideLogger(false);

const bytesOf = (size: 2 | 4, number: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeIntBE(number, 0, size);
  return bytes;
};
const message = (code: string, ...parts: (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from(code), bytesOf(4, body.length + 4), body]);
};
const READY = message('Z', 'I');
const done = (...rows: string[][]): Buffer =>
  Buffer.concat([
    message('T', bytesOf(2, 0)),
    ...rows.map((row) =>
      message('D', bytesOf(2, row.length), ...row.flatMap((text) => [bytesOf(4, text.length), text])),
    ),
    message('C', 'INSERT 0 1\0'),
  ]);
const error = (code: string, severity = 'ERROR', routine = ''): Buffer =>
  message('E', `S${severity}\0C${code}\0Mno\0R${routine}\0\0`);

/** A server that answers each message with what the test says, and hangs up after an answer without ReadyForQuery. */
class FakeServer {
  /** The statements of each message, by name; a Sync is a `|`. */
  readonly asked: string[] = [];
  connections = 0;

  constructor(
    private readonly answer: (asked: string) => Buffer[],
    private readonly beforeAnswer: () => void = () => {},
  ) {}

  readonly pool = () =>
    ({
      connect: (callback: (error: undefined, client: unknown, release: () => void) => void) => {
        this.connections++;
        setImmediate(callback, undefined, this.client(), () => {});
      },
    }) as never;

  private client(): unknown {
    let asked = '';
    const stream = Object.assign(new EventEmitter(), { cork() {}, uncork() {}, closed: true });
    const connection = Object.assign(new EventEmitter(), {
      stream,
      attachListeners(_stream: EventEmitter) {},
      parse() {},
      describe() {},
      execute() {},
      bind: ({ statement }: { statement: string }) => (asked += statement || '-'),
      sync: () => (asked += '|'),
    });
    letRowsBeRead({ connection });
    connection.attachListeners(stream);
    return Object.assign(new EventEmitter(), {
      connection,
      query: (batch: Batch) => {
        asked = '';
        batch.submit(connection as never);
        this.asked.push(asked);
        let isReady = false;
        connection.on('rowDescription', () => batch.handleRowDescription({ fields: [{ dataTypeID: 25 }] }));
        connection.on('commandComplete', () => batch.handleCommandComplete());
        connection.on('readyForQuery', () => {
          isReady = true;
          connection.removeAllListeners();
          batch.handleReadyForQuery();
        });
        this.beforeAnswer();
        setImmediate(() => {
          stream.emit('data', Buffer.concat(this.answer(asked)));
          if (!isReady) batch.handleError(new Error('Connection terminated unexpectedly'));
        });
      },
    });
  }
}

const insertMany: Statement = { name: 'many', text: '', properties: ['name'], isNumbered: true };
const insert: Statement = { name: 'one', text: '', properties: ['name'], forMany: insertMany };

describe('What is sent together', () => {
  let route: Omit<Route, 'pool'>;
  beforeEach(() => {
    route = { availability: new Availability(), refusals: new Refusals(), kind: 'write', named: true };
  });

  function send(server: FakeServer, since: number, ...names: string[]): Promise<unknown[]> {
    const outcomes = names.map(
      (name) =>
        (resolve: (rows: Row[]) => void, reject: (error: unknown) => void): Execution => ({
          statement: insert,
          values: [name],
          since,
          resolve,
          reject,
        }),
    );
    const executions: Execution[] = [];
    const answers = outcomes.map(
      (make) => new Promise<Row[]>((resolve, reject) => executions.push(make(resolve, reject))),
    );
    const ended = new Promise<unknown>((end) =>
      new Dispatch({ ...route, pool: server.pool }, end).start(() => executions),
    );
    return Promise.all([...answers, ended].map((answer) => answer.catch((reason: unknown) => reason)));
  }

  it('gets its own rows, in whatever order they come', async () => {
    const server = new FakeServer(() => [done(['c', '3'], ['a', '1'], ['b', '2']), READY]);
    expect(await send(server, performance.now(), 'a', 'b', 'c')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      [{ name: 'c' }],
      undefined,
    ]);
  });

  it('does not depend on the language of the server', async () => {
    const server = new FakeServer(() => [error('23505', 'FEHLER'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ code: '23505' }, undefined]);
  });

  it('has an unknown outcome when the server hangs up after an error', async () => {
    const server = new FakeServer(() => [error('57P01', 'FATAL')]);
    expect(await send(server, performance.now(), 'a', 'b')).toMatchObject([
      { name: 'OutcomeUnknown' },
      { name: 'OutcomeUnknown' },
      undefined,
    ]);
    expect(server.asked).toHaveLength(1);
  });

  it('has an unknown outcome when the server says so', async () => {
    const server = new FakeServer(() => [error('08006'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ name: 'OutcomeUnknown' }, undefined]);
  });

  it('has an unknown outcome when the commit says so', async () => {
    const server = new FakeServer(() => [done(['a', '1']), error('08006', 'ERROR', 'finish'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([{ name: 'OutcomeUnknown' }, undefined]);
  });

  it('is not stored when PostgreSQL says so of the statement itself', async () => {
    const server = new FakeServer(() => [error('08006', 'ERROR', 'exec_stmt_raise'), READY]);
    expect(await send(server, performance.now(), 'a')).toMatchObject([
      { name: 'DatabaseRefusal' },
      undefined,
    ]);
  });

  it.each([
    ['26000', ''],
    ['42P05', ''],
    ['0A000', 'RevalidateCachedQuery'],
  ])('goes again on another connection after %s', async (code, routine) => {
    const server: FakeServer = new FakeServer(() =>
      server.connections === 1
        ? [error(code, 'ERROR', routine), READY]
        : [done(['a', '1'], ['b', '2']), READY],
    );
    expect(await send(server, performance.now(), 'a', 'b')).toEqual([
      [{ name: 'a' }],
      [{ name: 'b' }],
      undefined,
    ]);
    expect(server.asked).toEqual(['many|', 'many|']);
  });

  it.each(['23505', '26000', '40001', '42P01', 'P0001'])(
    'is not sent for ever when all fail with %s',
    async (code) => {
      const server = new FakeServer((asked) =>
        [...asked.matchAll(/\|/g)].flatMap(() => [error(code), READY]),
      );
      const [first, second] = await send(server, performance.now(), 'a', 'b');
      expect([first, second]).toEqual([expect.any(Error), expect.any(Error)]);
      expect(server.asked.length).toBeLessThanOrEqual(6);
    },
  );

  it('is not sent for ever when the commit fails', async () => {
    const server = new FakeServer((asked) =>
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
    expect(server.asked).toEqual(['many|', '---|-|---|-|', 'many|', '-|-|']);
  });

  it('is stored when the answer arrived while the process was stopped', async () => {
    const stopped = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    const server = new FakeServer(() => [done(['a']), READY], stopped);
    expect(await send(server, performance.now(), 'a')).toEqual([[{ name: 'a' }], undefined]);
  });

  it('is refused rather than sent again when it is late', async () => {
    const server = new FakeServer(() => [error('23505'), READY]);
    expect(await send(server, performance.now() - 400, 'a', 'b')).toMatchObject([
      { name: 'DatabaseBusy' },
      { name: 'DatabaseBusy' },
      undefined,
    ]);
    expect(server.asked).toHaveLength(1);
  });
});
