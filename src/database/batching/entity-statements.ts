import { createHash } from 'node:crypto';
import type { EntityMetadata } from 'typeorm';
import { Shelf } from '../../common/shelf.js';
import type { Statement } from './statement.js';

/** Types that go into an array as they are, and come out of it as they were. */
const PLAIN_TYPES = new Set([
  'bigint',
  'boolean',
  'character varying',
  'date',
  'double precision',
  'integer',
  'numeric',
  'real',
  'smallint',
  'text',
  'timestamp with time zone',
  'timestamp without time zone',
  'uuid',
]);

/** Writes the statements of an entity, from what TypeORM knows of it, and each of them once. */
export class EntityStatements {
  private readonly written = new Shelf<Statement>();
  private readonly properties: string[];
  private readonly table: string;
  private readonly columns: string;

  constructor(private readonly entity: EntityMetadata) {
    const unknown = entity.columns.find(
      ({ transformer, embeddedMetadata }) => transformer ?? embeddedMetadata,
    );
    if (unknown) {
      throw new Error(
        `A store does not know transformers and embedded columns, and ${entity.name}.${unknown.propertyName} is one. Use TypeORM's repository.`,
      );
    }
    this.properties = entity.columns.map(({ propertyName }) => propertyName);
    this.columns = entity.columns.map(({ databaseName }) => quote(databaseName)).join(', ');
    this.table = entity.tablePath.split('.').map(quote).join('.');
  }

  /** One row, by columns that are equal to something. */
  findOne(by: string[]): Statement {
    return this.write(['one by', ...by], () => `${this.select(this.equal(by))} LIMIT 1`);
  }

  /** A part of the rows in ascending order of id. Its values: those of the filters, the id before it, the limit. */
  findPage(filters: string[], hasStart: boolean): Statement {
    return this.write(['page', ...(hasStart ? ['after'] : []), 'by', ...filters], () => {
      const filtered = filters.map((filter) => this.column(filter));
      const start = hasStart ? [...filtered, this.column('id')] : filtered;
      const conditions = [];
      // The filters as a range from where the page begins to where they end. With `=` the planner would know that rows
      // in order of id alone are in this order too, and for all it knows of a rare value, read most of the table.
      if (start.length > 0)
        conditions.push(`${tuple(start)} ${hasStart ? '>' : '>='} ${places(start.length)}`);
      if (filtered.length > 0) conditions.push(`${tuple(filtered)} <= ${places(filtered.length)}`);
      const order = [...filtered, this.column('id')].join(', ');
      return `${this.select(conditions)} ORDER BY ${order} LIMIT $${start.length + 1}`;
    });
  }

  insert(given: string[]): Statement {
    const text = (): string =>
      `${this.insertInto(given)} VALUES ${places(given.length)} RETURNING ${this.columns}`;
    return this.write(['insert', ...given], text, { forMany: () => this.insertMany(given) });
  }

  /**
   * SQL promises no order of the rows that RETURNING yields, and a trigger may leave one out. So the ids are taken
   * first, each beside its place in the arrays, and lead from a stored row back to that place. A row that a trigger gave
   * another id leads nowhere: the division fails, nothing is stored, and each goes in a statement of its own.
   */
  private insertMany(given: string[]): Statement | undefined {
    const arrays = this.arrays(given);
    if (!arrays) return undefined;
    const { databaseName } = this.columnOf('id');
    const id = quote(databaseName);
    const columns = given.map((property) => this.column(property)).join(', ');
    const sequence = `pg_get_serial_sequence(${literal(this.table)}, ${literal(databaseName)})`;
    const text = (): string => `
      WITH given AS MATERIALIZED (
        SELECT nextval((SELECT ${sequence}::regclass)) AS ${id}, * FROM unnest(${arrays}) WITH ORDINALITY AS _ (${columns}, "#")
      ), stored AS (
        INSERT INTO ${this.table} (${id}, ${columns}) OVERRIDING SYSTEM VALUE
        SELECT ${id}, ${columns} FROM given RETURNING ${this.columns}
      )
      SELECT stored.*, coalesce(given."#", 1 / (0 * stored.${id})) FROM stored LEFT JOIN given USING (${id})`;
    return this.write(['insert many', ...given], text, { isNumbered: true });
  }

  private insertInto(properties: string[]): string {
    return `INSERT INTO ${this.table} (${properties.map((property) => this.column(property)).join(', ')})`;
  }

  /** The places of an array for each column; undefined when there is one whose type is not plain. */
  private arrays(properties: string[]): string | undefined {
    const { driver } = this.entity.connection;
    const columns = properties.map((property) => this.columnOf(property));
    const types = columns.map((column) => driver.normalizeType(column));
    // An array of arrays would be taken apart down to its last element.
    if (columns.some(({ isArray }) => isArray)) return undefined;
    if (!types.every((type) => PLAIN_TYPES.has(type))) return undefined;
    // Without a length: a cast to one would cut silently what the column then refuses.
    return types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  }

  private write(
    words: string[],
    text: () => string,
    more: { isNumbered?: boolean; forMany?: () => Statement | undefined } = {},
  ): Statement {
    let shelf = this.written;
    for (const word of words) shelf = shelf.at(word);
    return (shelf.item ??= {
      name: nameOf(`${this.entity.tableName} ${words.join(' ')}`),
      text: text(),
      properties: this.properties,
      isNumbered: more.isNumbered ?? false,
      forMany: more.forMany?.(),
    });
  }

  private select(conditions: string[]): string {
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    return `SELECT ${this.columns} FROM ${this.table}${where}`;
  }

  private equal(properties: string[]): string[] {
    return properties.map((property, i) => `${this.column(property)} = $${i + 1}`);
  }

  private column(property: string): string {
    return quote(this.columnOf(property).databaseName);
  }

  private columnOf(property: string): EntityMetadata['columns'][number] {
    const column = this.entity.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${this.entity.name} has no column ${property}.`);
    return column;
  }
}

function tuple(columns: string[]): string {
  return `(${columns.join(', ')})`;
}

function places(count: number): string {
  return `(${Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ')})`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The server keeps 63 bytes of a name. */
function nameOf(description: string): string {
  if (Buffer.byteLength(description) <= 63) return description;
  return createHash('sha256').update(description).digest('base64');
}
