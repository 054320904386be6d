import type { ObjectLiteral, Repository } from 'typeorm';
import { DatabaseUnavailable } from './errors.js';
import type { Rows, Statement } from './pipeline.js';

/** Values of columns. An array means any of its values; `undefined` is skipped. */
export type Filters<T> = { readonly [K in keyof T]?: NonNullable<T[K]> | readonly NonNullable<T[K]>[] };

/** Rows in ascending order of id: the first ones, or those with greater ids than `after`. */
export interface Portion {
  readonly after?: bigint;
  readonly limit: number;
}

const tables = new WeakMap<object, Table<ObjectLiteral>>();

/** The statements of a table, each with a name of its own, and how rows become entities. */
export class Table<T extends ObjectLiteral> {
  /** The properties whose values the database does not generate. */
  readonly written: readonly string[];
  private readonly columns: ReadonlyMap<string, string>;
  private readonly list: string;
  private readonly statements = new Map<string, Statement>();

  private constructor(private readonly repository: Repository<T>) {
    const { columns } = repository.metadata;
    const { driver } = repository.manager.dataSource;
    const isWritten = (each: (typeof columns)[number]) => !each.isGenerated && each.default === undefined;
    this.columns = new Map(columns.map((each) => [each.propertyName, driver.escape(each.databaseName)]));
    this.list = [...this.columns.values()].join(', ');
    this.written = columns.filter(isWritten).map(({ propertyName }) => propertyName);
  }

  /** Before TypeORM is connected, it does not know the columns. */
  static of<T extends ObjectLiteral>(repository: Repository<T>): Table<T> {
    if (!repository.manager.dataSource.isInitialized) throw new DatabaseUnavailable(false);
    let table = tables.get(repository);
    if (!table) tables.set(repository, (table = new Table(repository)));
    return table as unknown as Table<T>;
  }

  select(filters: Filters<T>, portion?: Portion): Statement {
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    let where = '';
    for (const property in filters) {
      const value = filters[property];
      if (value === undefined) continue;
      const column = this.columns.get(property);
      if (column === undefined) throw new Error(`${this.repository.metadata.name} has no column for ${property}.`);
      const [before, after] = Array.isArray(value) ? ['ANY(', ')'] : ['', ''];
      where += `${where && ' AND '}${column} = ${before}${parameter(value)}${after}`;
    }
    if (portion?.after !== undefined) where += `${where && ' AND '}id > ${parameter(portion.after)}`;
    const end = portion ? `ORDER BY id LIMIT ${parameter(portion.limit)}` : 'LIMIT 1';
    const { tablePath } = this.repository.metadata;
    return this.prepared(`SELECT ${this.list} FROM ${tablePath} ${where && `WHERE ${where}`} ${end}`, values);
  }

  insert(entities: readonly ObjectLiteral[]): Statement {
    const values: unknown[] = [];
    const rows = entities.map(
      (entity) => `(${this.written.map((property) => `$${values.push(entity[property])}`).join(', ')})`,
    );
    const written = this.written.map((property) => this.columns.get(property)).join(', ');
    const { tablePath } = this.repository.metadata;
    const text = `INSERT INTO ${tablePath} (${written}) VALUES ${rows.join(', ')} RETURNING ${this.list}`;
    return this.prepared(text, values);
  }

  toEntities(rows: Rows): T[] {
    const Entity = this.repository.target as new () => Record<string, unknown>;
    const properties = [...this.columns.keys()];
    return rows.map((row) => {
      const entity = new Entity();
      for (let i = 0; i < properties.length; i++) entity[properties[i]!] = row[i];
      return entity as T;
    });
  }

  /** pg copies the own properties of a statement one by one, which costs 1 µs each: `text` and `name` are inherited. */
  private prepared(text: string, values: unknown[]): Statement {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = { name: `${this.repository.metadata.tableName}_${this.statements.size}`, text, rowMode: 'array' };
      this.statements.set(text, statement);
    }
    return Object.assign(Object.create(statement) as Statement, { values });
  }
}
