import type { EntityMetadata } from 'typeorm';
import {
  arraySafeType,
  decoderOf,
  type Encoder,
  encoderOf,
  listEncoderOf,
  listTypeOf,
  prepareValue,
} from './column-values.js';
import { requireTime, requireUnique } from './require-fit.js';
import { list, literal, parameters, quote, statementName } from './sql-text.js';
import type { Row, Statement } from './statement.js';

/** A statement, and how to encode each of its values. */
export interface EntityStatement extends Statement {
  readonly encoders: readonly Encoder[];
}

export type Written = Omit<EntityStatement, 'name' | 'properties'>;

/** How a page is ordered: what comes after its start, the end of its filters, and the words of ORDER BY. */
interface Direction {
  readonly after: string;
  readonly upTo: string;
  readonly suffix: string;
}
const ASCENDING: Direction = { after: '>', upTo: '<=', suffix: '' };
const DESCENDING: Direction = { after: '<', upTo: '>=', suffix: ' DESC' };

/** The SQL of an entity, from TypeORM's metadata. Each statement is written once. */
export class EntitySql {
  private static readonly known = new WeakMap<EntityMetadata, EntitySql>();
  private readonly statements = new Map<string, { properties: string[]; statement: EntityStatement }[]>();
  private readonly rows: Pick<Statement, 'properties' | 'rowClass' | 'decoders'>;
  protected readonly table: string;
  protected readonly columns: string;

  static of(entity: EntityMetadata): EntitySql {
    let sql = this.known.get(entity);
    if (!sql) this.known.set(entity, (sql = new EntitySql(entity)));
    return sql;
  }

  protected constructor(protected readonly entity: EntityMetadata) {
    this.rows = {
      properties: entity.columns.map(({ propertyName }) => propertyName),
      rowClass: entity.target as new () => object,
      decoders: entity.columns.map(decoderOf),
    };
    this.columns = entity.columns.map(({ databaseName }) => quote(databaseName)).join(', ');
    this.table = entity.tablePath.split('.').map(quote).join('.');
  }

  /** The row that pg has parsed to an object by column. */
  rowOf(parsed: Readonly<Record<string, unknown>>): Row {
    const { properties, rowClass = Object, decoders = [] } = this.rows;
    const row = new rowClass() as Row;
    for (const [i, { databaseName }] of this.entity.columns.entries()) {
      const value = parsed[databaseName];
      row[properties[i] as string] = value === null ? null : (decoders[i]?.(value) ?? value);
    }
    return row;
  }

  /** Fails when a column is missing, or one of bytes has another type: no statement with it would work. */
  readNothing(): EntityStatement {
    const bytes = this.entity.columns.filter(({ type, isArray }) => type === 'bytea' && !isArray);
    const conditions = bytes.map(({ propertyName }) => `${this.column(propertyName)} = ''::bytea`);
    return this.cached('probe', [], () => ({ text: `${this.select(conditions)} LIMIT 0`, encoders: [] }));
  }

  readOne(by: string[]): EntityStatement {
    return this.cached('one by', by, () => {
      const conditions = by.map((property, i) => `${this.column(property)} = $${i + 1}`);
      return { text: `${this.select(conditions)} LIMIT 1`, encoders: this.encoders(by) };
    });
  }

  /**
   * For a transaction: nobody deletes the row before its end. The lock gives it something to commit, even if it changes
   * nothing. So it waits for a standby, which then has the row, too.
   */
  readOneLocked(by: string[]): EntityStatement {
    return this.cached('one locked by', by, () => {
      const { text, encoders } = this.readOne(by);
      return { text: `${text} FOR KEY SHARE`, encoders };
    });
  }

  /** The value: a list. */
  readListed(property: string): EntityStatement {
    const by = [`${property}[]`];
    return this.cached('listed by', by, () => ({
      text: this.select(this.conditionsOfListed(by, by, ASCENDING)),
      encoders: this.encoders(by),
    }));
  }

  /**
   * A page of those that match the filters, by the last property. A filter `id[]` takes a list of ids. The values: those
   * of the filters, where the page starts, and the limit.
   */
  readPage(filtersAndOrder: string[], hasStart: boolean): EntityStatement {
    return this.cached(hasStart ? 'page after by' : 'page by', filtersAndOrder, () => {
      const by = filtersAndOrder.at(-1) ?? '';
      requireUnique(this.columnOf(by));
      return this.page(filtersAndOrder.slice(0, -1), [by], hasStart, ASCENDING);
    });
  }

  /** As `readPage`, but in descending order of the last property, and of the id for rows that share its value. */
  readLatest(filtersAndOrder: string[], hasStart: boolean): EntityStatement {
    return this.cached(hasStart ? 'latest after by' : 'latest by', filtersAndOrder, () => {
      const by = filtersAndOrder.at(-1) ?? '';
      requireTime(this.columnOf(by));
      return this.page(filtersAndOrder.slice(0, -1), [by, 'id'], hasStart, DESCENDING);
    });
  }

  private page(filters: string[], order: string[], hasStart: boolean, direction: Direction): Written {
    const given = hasStart ? [...filters, ...order] : filters;
    const isOfListed = filters.some(isList);
    const conditions = isOfListed
      ? this.conditionsOfListed(filters, given, direction)
      : this.conditionsOfEqual(filters, given, direction);
    const ordered = isOfListed ? order : [...filters, ...order];
    const by = ordered.map((property) => this.column(property) + direction.suffix).join(', ');
    return {
      text: `${this.select(conditions)} ORDER BY ${by} LIMIT $${given.length + 1}`,
      encoders: [...this.encoders(given), prepareValue],
    };
  }

  /**
   * A range on all of them makes the planner use their index. With `=` it may walk the primary key instead, and read most
   * of the table for a rare value.
   */
  private conditionsOfEqual(filters: string[], given: string[], { after, upTo }: Direction): string[] {
    const hasStart = given.length > filters.length;
    const range = (properties: string[], operator: string): string =>
      `${list(properties.map((property) => this.column(property)))} ${operator} ${parameters(properties.length)}`;
    return [
      ...(given.length > 0 ? [range(given, hasStart ? after : `${after}=`)] : []),
      ...(filters.length > 0 ? [range(filters, upTo)] : []),
    ];
  }

  /** A list selects few rows. Next to a range, the planner may scan all rows of the other filters, too. */
  private conditionsOfListed(filters: string[], given: string[], { after }: Direction): string[] {
    const conditions = filters.map((filter, i) => {
      const column = this.columnOf(propertyOf(filter));
      const value = isList(filter) ? `ANY ($${i + 1}::${listTypeOf(column)}[])` : `$${i + 1}`;
      return `${this.column(propertyOf(filter))} = ${value}`;
    });
    const start = given.slice(filters.length).map((property) => this.column(property));
    const values = start.map((_, i) => `$${filters.length + i + 1}`);
    return start.length > 0 ? [...conditions, `${list(start)} ${after} ${list(values)}`] : conditions;
  }

  insert(given: string[]): EntityStatement {
    return this.cached('insert', given, () => {
      const columns = given.map((property) => this.column(property));
      return {
        text: `INSERT INTO ${this.table} ${list(columns)} VALUES ${parameters(given.length)} RETURNING ${this.columns}`,
        encoders: this.encoders(given),
        forMany: this.insertMany(given, columns),
      };
    });
  }

  /**
   * RETURNING guarantees no order, and a trigger may suppress a row. The ids are therefore taken first, next to their
   * position in the arrays, and map each stored row to its position. When a trigger changes an id, the division by zero
   * rolls all of them back, and each is sent separately. A trigger that exchanges ids within a batch goes unnoticed, and
   * exchanges the answers.
   */
  private insertMany(given: string[], columns: string[]): Statement | undefined {
    const arrays = this.arrays(given);
    if (!arrays) return undefined;
    const id = this.column('id');
    const text = `
      WITH given AS MATERIALIZED (
        SELECT nextval((SELECT ${this.sequence}::regclass)) AS ${id}, * FROM unnest(${arrays}) WITH ORDINALITY AS _ ${list([...columns, '"#"'])}
      )
      INSERT INTO ${this.table} AS stored ${list([id, ...columns])} OVERRIDING SYSTEM VALUE
      SELECT ${[id, ...columns].join(', ')} FROM given
      RETURNING ${this.columns}, coalesce((SELECT "#" FROM given WHERE given.${id} = stored.${id}), 1 / (0 * ${id}))`;
    return this.cached('insert many', given, () => ({ text, encoders: [], isNumbered: true }));
  }

  protected get sequence(): string {
    return `pg_get_serial_sequence(${literal(this.table)}, ${literal(this.columnOf('id').databaseName)})`;
  }

  /** An array parameter for each column; undefined if some type does not survive an array. */
  private arrays(properties: string[]): string | undefined {
    const types = properties.map((property) => arraySafeType(this.columnOf(property)));
    if (types.includes(undefined)) return undefined;
    // Without a length: a cast to varchar(n) truncates silently what the column would refuse.
    return types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  }

  protected encoders(properties: string[]): Encoder[] {
    return properties.map((property) => {
      const column = this.columnOf(propertyOf(property));
      return isList(property) ? listEncoderOf(column) : encoderOf(column);
    });
  }

  protected cached(kind: string, properties: string[], write: () => Written): EntityStatement {
    let cached = this.statements.get(kind);
    if (!cached) this.statements.set(kind, (cached = []));
    // Comparing few short lists costs less per request than building a key of them.
    const found = cached.find((other) => areEqual(other.properties, properties));
    if (found) return found.statement;
    const name = statementName([this.entity.tableName, kind, ...properties].join(' '));
    const statement = { name, ...this.rows, isNumbered: false, forMany: undefined, ...write() };
    cached.push({ properties, statement });
    return statement;
  }

  protected select(conditions: string[]): string {
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    return `SELECT ${this.columns} FROM ${this.table}${where}`;
  }

  protected column(property: string): string {
    return quote(this.columnOf(property).databaseName);
  }

  protected columnOf(property: string): EntityMetadata['columns'][number] {
    const column = this.entity.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${this.entity.name} has no column ${property}.`);
    return column;
  }
}

function isList(filter: string): boolean {
  return filter.endsWith('[]');
}

function propertyOf(filter: string): string {
  return isList(filter) ? filter.slice(0, -'[]'.length) : filter;
}

function areEqual(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
