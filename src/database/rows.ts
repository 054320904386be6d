import type { Connection } from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';

/** Is given a message of the server that holds a row: its bytes, and where in them the row begins. */
export type RowReader = (bytes: Buffer, start: number) => void;

const DATA_ROW = 0x44;

/** A message of the server, as pg's parser makes it. */
export interface Message {
  readonly name: string;
}

/** Is shown every other message first, and returns whether pg is not to see it. */
export type MessageFilter = (message: Message) => boolean;

/** What pg's parser does not tell TypeScript: each message is handled here, and may be handled otherwise. */
const OpenParser = Parser as unknown as new () => {
  parse(chunk: Buffer, tell: (message: Message) => void): void;
  handlePacket(start: number, code: number, length: number, bytes: Buffer): Message;
};

/** Rows go to who wants to read them from the bytes, without a text for each field and an event for each row. */
class Answers extends OpenParser {
  readRow: RowReader | undefined;
  filter: MessageFilter | undefined;

  override handlePacket(start: number, code: number, length: number, bytes: Buffer): Message {
    if (code !== DATA_ROW || !this.readRow) return super.handlePacket(start, code, length, bytes);
    this.readRow(bytes, start);
    return HAS_BEEN_READ;
  }
}

const HAS_BEEN_READ: Message = { name: 'dataRow' };

const answersOf = new WeakMap<Connection, Answers>();

/** To be called for a client before it connects. */
export function letRowsBeRead(client: object): void {
  const { connection } = client as { connection: Connection };
  const attachListeners = (stream: NodeJS.ReadableStream): void => {
    const answers = new Answers();
    answersOf.set(connection, answers);
    stream.on('data', (chunk: Buffer) => {
      answers.parse(chunk, (message) => {
        if (message === HAS_BEEN_READ || answers.filter?.(message)) return;
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      });
    });
  };
  Object.assign(connection, { attachListeners });
}

/** The rows that arrive on this connection go to this reader, until it leaves them to pg again. */
export function readRows(connection: Connection, readRow: RowReader, filter?: MessageFilter): () => void {
  const answers = answersOf.get(connection);
  if (!answers) throw new Error('Only clients of our own drivers let rows be read.');
  answers.readRow = readRow;
  answers.filter = filter;
  return () => {
    // What is told late of a query that has ended, as pg does of one that ran out of time, must not end the next one's.
    if (answers.readRow !== readRow) return;
    answers.readRow = undefined;
    answers.filter = undefined;
  };
}
