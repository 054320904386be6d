import { isDeepStrictEqual } from 'node:util';
import type { EntityMetadata, ObjectLiteral } from 'typeorm';

/** The rows of one statement for many requests. More gain little. */
export const GROUP_SIZE = 32;

/** Values of columns. An array means any of its values; `undefined` is skipped. */
export type Filters<T> = { readonly [K in keyof T]?: NonNullable<T[K]> | readonly NonNullable<T[K]>[] };

/** Rows in ascending order of id: the first ones, or those with greater ids than `after`. */
export interface Portion {
  readonly after?: bigint;
  readonly limit: number;
}

/** Without a name, it is not prepared. */
interface Statement {
  readonly name?: string | undefined;
  readonly text: string;
}
export type Query = [statement: Statement, values: unknown[]];

/** The statements of a table. Their rows have the properties of the entity. */
export class Table {
  /** The rows of an INSERT, at most. */
  groupSize = GROUP_SIZE;
  readonly name: string;
  /**
   * An INSERT into a table with a unique index, an exclusion constraint or a foreign key can wait for the transaction of
   * somebody else. All that shares its connection would wait with it.
   */
  readonly mayWait: boolean;
  private readonly list: string;
  /** The properties whose values the database does not generate, and their columns. */
  private readonly written: string[];
  private readonly into: string;
  private readonly statements = new Map<string, Statement>();

  constructor(
    private readonly metadata: EntityMetadata,
    private readonly isPrepared: boolean,
  ) {
    const { columns, indices, uniques, exclusions, foreignKeys } = metadata;
    this.name = metadata.tablePath;
    this.mayWait =
      indices.some(({ isUnique }) => isUnique) || [uniques, exclusions, foreignKeys].some(({ length }) => length > 0);
    this.list = columns.map(({ databaseName, propertyName }) => `"${databaseName}" AS "${propertyName}"`).join(', ');
    const written = columns.filter((each) => !each.isGenerated && each.default === undefined);
    this.written = written.map(({ propertyName }) => propertyName);
    this.into = written.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  }

  select<T>(filters: Filters<T>, portion?: Portion): Query {
    const values: unknown[] = [];
    const conditions: string[] = [];
    for (const property in filters) {
      const value = filters[property];
      if (value === undefined) continue;
      const { databaseName } = this.metadata.findColumnWithPropertyName(property)!;
      const parameter = `$${values.push(value)}`;
      conditions.push(`"${databaseName}" = ${Array.isArray(value) ? `ANY(${parameter})` : parameter}`);
    }
    if (portion?.after !== undefined) conditions.push(`id > $${values.push(portion.after)}`);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const end = portion ? `ORDER BY id LIMIT $${values.push(portion.limit)}` : 'LIMIT 1';
    return [this.statement(`SELECT ${this.list} FROM ${this.metadata.tablePath} ${where} ${end}`), values];
  }

  insert(rows: readonly { values: ObjectLiteral }[]): Query {
    const all: unknown[] = [];
    const tuples = rows.map(({ values }) => `(${this.written.map((each) => `$${all.push(values[each])}`).join(', ')})`);
    const text = `INSERT INTO ${this.metadata.tablePath} (${this.into}) VALUES ${tuples.join(', ')} RETURNING ${this.list}`;
    return [this.statement(text), all];
  }

  /** Whether a row that was stored is the given one. */
  isOf(given: ObjectLiteral, stored: ObjectLiteral): boolean {
    return this.written.every((each) => isDeepStrictEqual(stored[each], given[each] ?? null));
  }

  private statement(text: string): Statement {
    let statement = this.statements.get(text);
    if (!statement) {
      const name = this.isPrepared ? `${this.name}_${this.statements.size}` : undefined;
      statement = { name, text };
      this.statements.set(text, statement);
    }
    return statement;
  }
}
