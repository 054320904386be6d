import { EventEmitter } from 'node:events';
import type { Release } from '../../src/database/batching/batch-sender.js';
import type { PipelinedBatch } from '../../src/database/batching/pipelined-batch.js';
import type { Statement } from '../../src/database/batching/statement.js';
import { DATABASE_LIMITS } from '../../src/database/limits.js';
import { installRowParser } from '../../src/database/row-parser.js';

const bytesOf = (size: 2 | 4, number: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeIntBE(number, 0, size);
  return bytes;
};
const message = (code: string, ...parts: (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from(code), bytesOf(4, body.length + 4), body]);
};
export const READY = message('Z', 'I');
/** Of a statement that is prepared, whether it then succeeds or not. */
export const described = message('T', bytesOf(2, 0));
export const done = (...rows: string[][]): Buffer =>
  Buffer.concat([
    described,
    ...rows.map((row) =>
      message('D', bytesOf(2, row.length), ...row.flatMap((text) => [bytesOf(4, text.length), text])),
    ),
    message('C', 'INSERT 0 1\0'),
  ]);
/** Of a statement without RETURNING. */
export const doneWithoutRows = Buffer.concat([message('n'), message('C', 'UPDATE 1\0')]);
export const error = (code: string, severity = 'ERROR', routine = ''): Buffer =>
  message('E', `S${severity}\0C${code}\0Mno\0R${routine}\0\0`);

/** Answers each message as the test says, and closes the connection after an answer without ReadyForQuery. */
export class FakePostgres {
  /** The names of the statements in each message. A `|` is a Sync, a `-` an unnamed statement. */
  readonly received: string[] = [];
  /** The names in each Parse. */
  readonly prepared: string[] = [];
  onParse: (statement: { text: string }) => void = () => {};
  /** The names in each Close. */
  readonly closed: string[] = [];
  connections = 0;
  /** Of its connections. */
  ageMs = 0;
  private readonly idle: object[] = [];

  constructor(
    private readonly answer: (message: string) => Buffer[],
    public beforeAnswer: () => void = () => {},
  ) {}

  /** Answers one message after another. */
  static answering(...answers: Buffer[][]): FakePostgres {
    const server: FakePostgres = new FakePostgres(() => answers[server.received.length - 1] ?? []);
    return server;
  }

  readonly pool = () =>
    ({
      connect: (callback: (error: undefined, client: unknown, release: Release) => void) => {
        const client = Object.assign(this.idle.pop() ?? this.client(), {
          isOld: this.ageMs > DATABASE_LIMITS.keptMs,
        });
        const release: Release = (broken) => void (broken || this.idle.push(client));
        setImmediate(callback, undefined, client, release);
      },
    }) as never;

  private client(): object {
    this.connections++;
    let message = '';
    const stream = Object.assign(new EventEmitter(), { cork() {}, uncork() {}, destroy() {}, closed: true });
    const connection = Object.assign(new EventEmitter(), {
      stream,
      attachListeners(_stream: EventEmitter) {},
      parse: (statement: { name: string; text: string }) => {
        this.prepared.push(statement.name);
        this.onParse(statement);
      },
      close: ({ name }: { name: string }) => this.closed.push(name),
      describe() {},
      execute() {},
      bind: ({ statement }: { statement: string }) => (message += statement || '-'),
      sync: () => (message += '|'),
    });
    installRowParser({ connection });
    connection.attachListeners(stream);
    return Object.assign(new EventEmitter(), {
      connection,
      query: (batch: PipelinedBatch) => {
        message = '';
        batch.submit(connection as never);
        this.received.push(message);
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
          stream.emit('data', Buffer.concat(this.answer(message)));
          if (!isReady) batch.handleError(new Error('Connection terminated unexpectedly'));
        });
      },
    });
  }
}

const insertMany: Statement = { name: 'many', text: '', properties: ['name'], isNumbered: true };
export const insert: Statement = { name: 'one', text: '', properties: ['name'], forMany: insertMany };
