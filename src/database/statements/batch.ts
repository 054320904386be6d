import type { Connection, Submittable } from 'pg';
import pg from 'pg';
import type { Execution, Row, Statement } from './statement.js';

interface Field {
  readonly dataTypeID: number;
}

/** What pg's client calls on a query while its answer arrives. */
interface Query extends Submittable {
  handleRowDescription(message: { fields: Field[] }): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: unknown): void;
}

type Parse = (text: string) => unknown;

/** How the rows of a statement are read: each begins as a copy of an empty one, which is quicker than to let it grow. */
interface Reader {
  readonly empty: Row;
  /** Nothing where the text is the value. */
  readonly parsers: readonly (Parse | undefined)[];
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

  constructor(
    private readonly executions: readonly Execution[],
    private readonly types: pg.CustomTypesConfig,
    /** Without names a statement is prepared each time, which a pooler between here and the server may require. */
    private readonly named: boolean,
    private readonly outcome: Outcome,
  ) {}

  submit(connection: Connection): void {
    this.known = knownTo(connection);
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
    const text = this.types.getTypeParser(pg.types.builtins.TEXT, 'text');
    const parsers = fields.map(({ dataTypeID }) => this.types.getTypeParser(dataTypeID, 'text') as Parse);
    this.reader = {
      empty: Object.fromEntries(properties.map((property) => [property, null])),
      parsers: parsers.map((parse) => (parse === text ? undefined : parse)),
    };
    if (this.named) this.known.set(name, this.reader);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { name, properties } = this.current().statement;
    const { empty, parsers } = (this.reader ??= this.known.get(name) as Reader);
    const row = { ...empty };
    for (let i = 0; i < properties.length; i++) {
      const text = fields[i];
      if (typeof text !== 'string') continue;
      const parse = parsers[i];
      row[properties[i] as string] = parse ? parse(text) : text;
    }
    this.rows.push(row);
  }

  handleCommandComplete(): void {
    this.results.push(this.rows);
    this.rows = [];
    this.reader = undefined;
  }

  handleReadyForQuery(): void {
    this.outcome.done(this.results);
  }

  handleError(error: unknown): void {
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
