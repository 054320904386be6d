import { type Connection, DatabaseError, type PoolClient, type Submittable } from 'pg';
import { type Message, readRows } from '../row-parser.js';
import { type FieldReader, fieldReader } from '../pg-types.js';
import { type Decoder, prepareValue } from './column-values.js';
import type { PendingQuery, Row, Statement } from './statement.js';

interface Field {
  readonly dataTypeID: number;
}

/** The methods that pg's client calls on its active query. */
interface PgQuery extends Submittable {
  handleRowDescription(message: { fields: Field[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

/** Reads the fields of a row. */
type Reader = readonly FieldReader[];

/** The statements that a connection has prepared, by name. */
const prepared = new WeakMap<Connection, Map<string, Reader>>();
/** Prepared statements that the next batch closes. */
const forgotten = new WeakMap<Connection, readonly string[]>();

export interface FailedStatement {
  readonly query: PendingQuery;
  /** Before this batch. */
  readonly wasPrepared: boolean;
  /** The rows of each statement in front of it. */
  readonly answered: readonly Row[][];
}

/**
 * Whether the transaction certainly was not committed. PostgreSQL names its routine when a statement fails; a pooler that
 * lost the server, maybe at the commit, does not.
 */
export function isBeforeCommit({ routine }: DatabaseError, failed?: FailedStatement): boolean {
  return failed !== undefined && failed.query.statement.text !== 'COMMIT' && Boolean(routine);
}

export interface TransactionListener {
  /** The transaction is committed, or a unit of it succeeded. `rows` holds the rows of each statement. */
  committed(transaction: readonly PendingQuery[], rows: Row[][]): void;
  /**
   * The transaction is rolled back, or a unit of it failed. `failed` is `undefined` when its statements succeeded and the
   * commit at its end failed.
   */
  rolledBack(transaction: readonly PendingQuery[], error: DatabaseError, failed?: FailedStatement): void;
}

export interface ConnectionListener {
  /** The server is ready for the next batch. */
  answered(): void;
  /** The connection broke, or the server closed it with an error. */
  broken(error: unknown): void;
}

/**
 * Several transactions in one write, each of some statements and a Sync, which commits them: one round trip and a few
 * system calls for all of them. They may also be the units of one explicit transaction.
 *
 * pg sees the last ReadyForQuery only, and no error that is followed by ReadyForQuery. An error followed by
 * ReadyForQuery means that the transaction is rolled back, or has failed, and the connection is usable, whatever the
 * server's language.
 */
export class PipelinedBatch implements PgQuery {
  /** The index of the transaction that is being answered. */
  private at = 0;
  /** The rows of its completed statements. */
  private results: Row[][] = [];
  private rows: Row[] = [];
  private error: DatabaseError | undefined;
  private reader: Reader | undefined;
  private known: Map<string, Reader> = new Map();
  /** What this batch prepares, and the index of the transaction that does. */
  private readonly sending = new Map<string, number>();
  private leaveRows = (): void => {};

  constructor(
    private readonly transactions: readonly (readonly PendingQuery[])[],
    /** Without names each statement is prepared every time, as some poolers require. */
    private readonly named: boolean,
    private readonly listener: TransactionListener,
    private readonly connectionListener: ConnectionListener,
  ) {}

  /** The transactions without an outcome. */
  get unanswered(): readonly (readonly PendingQuery[])[] {
    return this.transactions.slice(this.at);
  }

  submit(connection: Connection): void {
    this.known = knownTo(connection);
    this.leaveRows = readRows(
      connection,
      (bytes, start) => this.readRow(bytes, start),
      (message) => this.hidesFromPg(message),
    );
    connection.stream.cork();
    closeForgotten(connection);
    for (const [at, transaction] of this.transactions.entries()) {
      for (const { statement, values } of transaction) {
        const name = this.nameOf(statement, at);
        if (!this.known.has(name) && !this.sending.has(name)) {
          prepare(connection, name, statement);
          if (name) this.sending.set(name, at);
        }
        connection.bind({ statement: name, values: values as string[], valueMapper: prepareValue }, true);
        connection.execute(null, true);
      }
      connection.sync();
    }
    connection.stream.uncork();
  }

  /** Transactions do not share a new statement: if the one that prepares it failed, the others would miss it. */
  private nameOf({ name }: Statement, at: number): string {
    const isMissing = this.sending.has(name) && this.sending.get(name) !== at;
    return this.named && !isMissing ? name : '';
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const { statement } = this.current();
    this.prepared(
      fields.map(({ dataTypeID }, i) => decoded(fieldReader(dataTypeID), statement.decoders?.[i])),
    );
  }

  private prepared(reader: Reader): void {
    const { statement } = this.current();
    this.reader = reader;
    if (this.sending.get(statement.name) === this.at) this.known.set(statement.name, this.reader);
  }

  /** A row holds the number of its fields, and for each its length and text. Null has the length -1 and no text. */
  private readRow(bytes: Buffer, start: number): void {
    const { name, properties, rowClass = Object, isNumbered } = this.current().statement;
    const fields = (this.reader ??= this.known.get(name) as Reader);
    const row = new rowClass() as Row;
    let at = start + 2;
    for (let i = 0; i < properties.length; i++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      const property = properties[i] as string;
      if (length < 0) {
        row[property] = null;
        continue;
      }
      row[property] = (fields[i] as FieldReader)(bytes, at, at + length);
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

  private hidesFromPg(message: Message): boolean {
    if (message instanceof DatabaseError) {
      this.error = message;
      return true;
    }
    if (message.name === 'noData') this.prepared([]); // a statement without rows
    return message.name === 'readyForQuery' && this.endTransaction();
  }

  /** Returns whether another transaction follows. */
  private endTransaction(): boolean {
    const transaction = this.transactions[this.at] as readonly PendingQuery[];
    const { results, error } = this;
    if (!error && results.length !== transaction.length)
      throw new Error(`${results.length} results for ${transaction.length} statements`);
    // Undefined after an error at the commit, which follows the last statement.
    const query = transaction[results.length];
    const failed = query && { query, wasPrepared: this.wasPrepared(query.statement), answered: results };
    this.at++;
    this.results = [];
    this.rows = [];
    this.error = undefined;
    this.reader = undefined;
    if (!error) this.listener.committed(transaction, results);
    else this.listener.rolledBack(transaction, error, failed);
    return this.at < this.transactions.length;
  }

  private wasPrepared({ name }: Statement): boolean {
    return this.known.has(name) && !this.sending.has(name);
  }

  handleReadyForQuery(): void {
    this.leaveRows();
    this.connectionListener.answered();
  }

  handleError(error: unknown): void {
    this.leaveRows();
    this.connectionListener.broken(this.error ?? error);
  }

  private current(): PendingQuery {
    return (this.transactions[this.at] as readonly PendingQuery[])[this.results.length] as PendingQuery;
  }
}

function prepare(connection: Connection, name: string, { text }: Statement): void {
  connection.parse({ name, text } as never, true);
  connection.describe({ type: 'S', name }, true);
}

function decoded(read: FieldReader, decode: Decoder | undefined): FieldReader {
  return decode ? (bytes, start, end) => decode(read(bytes, start, end)) : read;
}

/** Then the next batch prepares its statements anew. */
export function forgetStatements(client: PoolClient): void {
  const { connection } = client as unknown as { connection: Connection };
  forgotten.set(connection, [...knownTo(connection).keys()]);
  prepared.delete(connection);
}

function closeForgotten(connection: Connection): void {
  for (const name of forgotten.get(connection) ?? []) connection.close({ type: 'S', name }, true);
  forgotten.delete(connection);
}

function knownTo(connection: Connection): Map<string, Reader> {
  const known = prepared.get(connection) ?? new Map<string, Reader>();
  prepared.set(connection, known);
  return known;
}
