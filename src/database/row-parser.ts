import type { Duplex } from 'node:stream';
import type { Connection, DatabaseError } from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';
import { nameConstraint } from './citus/node-errors.js';
import { unreplicatedCommit } from './unreplicated-commit.js';

/** Receives the bytes of a DataRow message, and where the row starts in them. */
export type RowReader = (bytes: Buffer, start: number) => void;

const DATA_ROW = 0x44;
/** The length of a message includes itself. */
const LENGTH_BYTES = 4;

/** The messages that a server may send while no query is under way. */
const ASYNCHRONOUS = new Set(['error', 'notice', 'notification', 'parameterStatus']);

/** A message of the server, as pg's parser makes it. */
export interface Message {
  readonly name: string;
}

/** Sees every other message before pg, and returns true to hide it from pg. */
export type MessageFilter = (message: Message) => boolean;

/** The methods of pg's parser that its types hide. */
const PgParser = Parser as unknown as new () => {
  /** Of a message whose end has not arrived. */
  readonly bufferLength: number;
  parse(chunk: Buffer, onMessage: (message: Message) => void): void;
  handlePacket(start: number, code: number, length: number, bytes: Buffer): Message;
};

/** Hands each row to the reader as raw bytes, which avoids a string per field and an event per row. */
class RowParser extends PgParser {
  readRow: RowReader | undefined;
  filter: MessageFilter | undefined;

  override handlePacket(start: number, code: number, length: number, bytes: Buffer): Message {
    if (length < LENGTH_BYTES) throw new Error(`A message of ${length} bytes`);
    if (code !== DATA_ROW || !this.readRow) return super.handlePacket(start, code, length, bytes);
    this.readRow(bytes, start);
    return READ;
  }
}

const READ: Message = { name: 'dataRow' };

const parsers = new WeakMap<Connection, RowParser>();

/** The parts of pg's client that its types hide. */
interface Client {
  readonly connection: Connection;
  /** Whether no query is under way. */
  readonly readyForQuery?: boolean;
}

/**
 * Replaces the parser of a client that has not connected yet. A message that is malformed or that nothing asked for breaks
 * the connection: otherwise it would end the process, or the next answers would belong to other queries.
 */
export function installRowParser(given: object): void {
  const client = given as Client;
  const { connection } = client;
  const attachListeners = (stream: Duplex): void => {
    const parser = new RowParser();
    parsers.set(connection, parser);
    let isBroken = false;
    /** Reported at ReadyForQuery, because pg expects nothing else after an error. */
    let unreplicated: DatabaseError | undefined;
    const take = (message: Message): void => {
      if (message === READ) return;
      if (message.name === 'error') {
        nameConstraint(message as object);
        connection.emit('refusal', message);
      } else if (message.name === 'notice') unreplicated ??= unreplicatedCommit(message as object);
      else if (unreplicated && message.name === 'readyForQuery') {
        pass(unreplicated);
        unreplicated = undefined;
      }
      pass(message);
    };
    const pass = (message: Message): void => {
      if (parser.filter?.(message)) return;
      if (client.readyForQuery && !ASYNCHRONOUS.has(message.name))
        throw new Error(`Nothing asked for ${message.name}.`);
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    };
    stream.on('data', (chunk: Buffer) => {
      if (isBroken) return;
      try {
        parser.parse(chunk, take);
      } catch (cause) {
        isBroken = true;
        stream.destroy(new Error('Connection terminated: the server sent unexpected bytes', { cause }));
      }
    });
  };
  Object.assign(connection, { attachListeners });
}

/** Whether the last message that was read has no end yet: if its length is wrong, it never has. */
export function isWithinMessage(connection: Connection): boolean {
  return (parsers.get(connection)?.bufferLength ?? 0) > 0;
}

/** Hands the rows of a connection to the reader until the returned function is called; then pg gets them again. */
export function readRows(connection: Connection, readRow: RowReader, filter?: MessageFilter): () => void {
  const parser = parsers.get(connection);
  if (!parser) throw new Error('Only clients of our own drivers let rows be read.');
  parser.readRow = readRow;
  parser.filter = filter;
  return () => {
    // pg reports a timed-out query late. By then the reader may belong to the next query.
    if (parser.readRow !== readRow) return;
    parser.readRow = undefined;
    parser.filter = undefined;
  };
}
