import { type Connection, DatabaseError, type Submittable } from 'pg';
import pg from 'pg';
import { type Message, readRows } from '../rows.js';
import { type FieldReader, fieldReader } from '../types.js';
import type { Execution, Row, Statement } from './statement.js';

interface Field {
  readonly dataTypeID: number;
}

/** What pg's client calls on a query while its answer arrives. */
interface Query extends Submittable {
  handleRowDescription(message: { fields: Field[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

/** How the rows of a statement are read: each begins as a copy of an empty one, which is quicker than to let it grow. */
interface Reader {
  readonly empty: Row;
  readonly fields: readonly FieldReader[];
}

/** How the rows of the statements that a connection has prepared are read. */
const prepared = new WeakMap<Connection, Map<string, Reader>>();

/** pg's own way to write a value, which it does not name in its types. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

export interface BatchListener {
  /** A transaction is committed: the rows of each of its statements. */
  committed(transaction: readonly Execution[], rows: Row[][]): void;
  /**
   * A transaction is rolled back. `wasPrepared`: the connection knew the statement that failed before this batch;
   * `undefined` when no statement failed, but the commit.
   */
  rolledBack(transaction: readonly Execution[], error: DatabaseError, wasPrepared?: boolean): void;
  /** The server waits for the next batch. */
  answered(): void;
  /** The connection broke, or the server closed it with an error. Nothing is known of the transactions not told of. */
  broken(error: unknown): void;
}

/**
 * Transactions in one message to the server, each of some statements and a Sync, which commits them: one round trip for
 * all, and a few system calls instead of a few for each statement.
 *
 * pg hears of the last ReadyForQuery only, and of no error that the server goes on after: ReadyForQuery behind an error
 * is what tells that, in any language, and that the transaction is rolled back.
 */
export class Batch implements Query {
  /** The transaction that is being answered, and its statements so far. */
  private at = 0;
  private results: Row[][] = [];
  private rows: Row[] = [];
  private error: DatabaseError | undefined;
  private reader: Reader | undefined;
  private known: Map<string, Reader> = new Map();
  private readonly sending = new Set<string>();
  private leaveRows = (): void => {};

  constructor(
    private readonly transactions: readonly (readonly Execution[])[],
    /** Without names a statement is prepared each time, which a pooler between here and the server may require. */
    private readonly named: boolean,
    private readonly listener: BatchListener,
  ) {}

  submit(connection: Connection): void {
    this.known = knownTo(connection);
    this.leaveRows = readRows(
      connection,
      (bytes, start) => this.readRow(bytes, start),
      (message) => this.keepsFromPg(message),
    );
    connection.stream.cork();
    for (const transaction of this.transactions) {
      for (const { statement, values } of transaction) {
        const name = this.nameOf(statement);
        if (!this.known.has(name) && !this.sending.has(name)) {
          prepare(connection, name, statement);
          if (name) this.sending.add(name);
        }
        connection.bind({ statement: name, values: values as string[], valueMapper: prepareValue }, true);
        connection.execute(null, true);
      }
      connection.sync();
    }
    connection.stream.uncork();
  }

  /** A transaction relies on no other: when the first one to prepare a statement fails, the next ones would miss it. */
  private nameOf({ name }: Statement): string {
    if (!this.named) return '';
    return this.transactions.length === 1 || this.known.has(name) ? name : '';
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const { statement } = this.current();
    this.reader = {
      empty: Object.fromEntries(statement.properties.map((property) => [property, null])),
      fields: fields.map(({ dataTypeID }) => fieldReader(dataTypeID)),
    };
    if (this.sending.has(statement.name)) this.known.set(statement.name, this.reader);
  }

  /** A row is the number of its fields, and each of them is a length and a text; that of null is -1, and nothing. */
  private readRow(bytes: Buffer, start: number): void {
    const { name, properties, isNumbered } = this.current().statement;
    const { empty, fields } = (this.reader ??= this.known.get(name) as Reader);
    const row = { ...empty };
    let at = start + 2;
    for (let i = 0; i < properties.length; i++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length < 0) continue;
      row[properties[i] as string] = (fields[i] as FieldReader)(bytes, at, at + length);
      at += length;
    }
    if (isNumbered)
      this.rows[Number(bytes.toString('latin1', at + 4, at + 4 + bytes.readInt32BE(at))) - 1] = row;
    else this.rows.push(row);
  }

  handleCommandComplete(): void {
    this.results.push(this.rows);
    this.rows = [];
    this.reader = undefined;
  }

  private keepsFromPg(message: Message): boolean {
    if (message instanceof DatabaseError) {
      this.error = message;
      return true;
    }
    return message.name === 'readyForQuery' && this.endTransaction();
  }

  /** Returns whether another transaction follows. */
  private endTransaction(): boolean {
    const transaction = this.transactions[this.at] as readonly Execution[];
    const { results, error } = this;
    // The error of a commit comes behind those of all statements.
    const failed = transaction[results.length]?.statement;
    this.at++;
    this.results = [];
    this.rows = [];
    this.error = undefined;
    this.reader = undefined;
    if (!error) this.listener.committed(transaction, results);
    else this.listener.rolledBack(transaction, error, failed && this.wasPrepared(failed));
    return this.at < this.transactions.length;
  }

  private wasPrepared({ name }: Statement): boolean {
    return this.known.has(name) && !this.sending.has(name);
  }

  handleReadyForQuery(): void {
    this.leaveRows();
    this.listener.answered();
  }

  handleError(error: unknown): void {
    this.leaveRows();
    this.listener.broken(this.error ?? error);
  }

  private current(): Execution {
    return (this.transactions[this.at] as readonly Execution[])[this.results.length] as Execution;
  }
}

function prepare(connection: Connection, name: string, { text }: Statement): void {
  connection.parse({ name, text } as never, true);
  connection.describe({ type: 'S', name }, true);
}

function knownTo(connection: Connection): Map<string, Reader> {
  const known = prepared.get(connection) ?? new Map<string, Reader>();
  prepared.set(connection, known);
  return known;
}
