import type { Connection, Submittable } from 'pg';
import pg from 'pg';
import { type FieldReader, fieldReader } from '../types.js';
import { readRows } from '../rows.js';
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

interface Outcome {
  /** The rows of each statement; none of them when there was an error, since then nothing was done. */
  done(rows: Row[][]): void;
  /** `index` is the statement at which it happened. */
  failed(error: unknown, index: number): void;
}

/**
 * Many statements in one message to the server, and one at its end that makes them one transaction: a single round
 * trip, a single commit, and a few system calls instead of a few for each statement.
 */
export class Batch implements Query {
  private readonly results: Row[][] = [];
  private rows: Row[] = [];
  private reader: Reader | undefined;
  private known: Map<string, Reader> = new Map();
  private leaveRows = (): void => {};

  constructor(
    private readonly executions: readonly Execution[],
    /** Without names a statement is prepared each time, which a pooler between here and the server may require. */
    private readonly named: boolean,
    private readonly outcome: Outcome,
  ) {}

  submit(connection: Connection): void {
    this.known = knownTo(connection);
    this.leaveRows = readRows(connection, (bytes, start) => this.readRow(bytes, start));
    const sending = new Set<string>();
    connection.stream.cork();
    for (const { statement, values } of this.executions) {
      const name = this.named ? statement.name : '';
      if (!name || (!this.known.has(name) && !sending.has(name))) {
        prepare(connection, name, statement);
        sending.add(name);
      }
      connection.bind({ statement: name, values: values as string[], valueMapper: prepareValue }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const { name, properties } = this.current().statement;
    this.reader = {
      empty: Object.fromEntries(properties.map((property) => [property, null])),
      fields: fields.map(({ dataTypeID }) => fieldReader(dataTypeID)),
    };
    if (this.named) this.known.set(name, this.reader);
  }

  /** A row is the number of its fields, and each of them is a length and a text; that of null is -1, and nothing. */
  private readRow(bytes: Buffer, start: number): void {
    const { name, properties } = this.current().statement;
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
    this.rows.push(row);
  }

  handleCommandComplete(): void {
    this.results.push(this.rows);
    this.rows = [];
    this.reader = undefined;
  }

  handleReadyForQuery(): void {
    this.leaveRows();
    this.outcome.done(this.results);
  }

  handleError(error: unknown): void {
    this.leaveRows();
    this.outcome.failed(error, this.results.length);
  }

  private current(): Execution {
    return this.executions[this.results.length] as Execution;
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
