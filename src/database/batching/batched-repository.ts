import {
  type DeleteQueryBuilder,
  type EntityManager,
  type EntityTarget,
  type FindOperator,
  type FindOptionsWhere,
  type QueryDeepPartialEntity,
  Repository,
  type UpdateQueryBuilder,
} from 'typeorm';
import { type Cursor, Page } from '../../api/paging/page.js';
import { Position } from '../../api/paging/position.js';
import { DatabaseOutage, driverErrorOf } from '../database-errors.js';
import { currentScope, outsideScopes, refuseOutside } from '../transactions/open-transaction.js';
import { RecordedChange } from '../transactions/recorded-change.js';
import type { Encoder } from './column-values.js';
import { EntitySql, type EntityStatement } from './entity-sql.js';
import type { Row } from './statement.js';
import type { StatementQueues } from './statement-queues.js';

export interface EntityWithId {
  readonly id: bigint;
}

/** The properties that can order a list. */
export type Orders<T> = string & { [P in keyof T]: T[P] extends Cursor ? P : never }[keyof T];

/** The properties by which a list can begin with the latest. */
type Times<T> = string & { [P in keyof T]: T[P] extends Date ? P : never }[keyof T];

/** What a read is for: an answer, which a standby may give, or the decision who may do something. */
export type Purpose = 'answer' | 'permission';

/** Values, or TypeORM's operators, such as `IsNull()`. */
export type Conditions<T> = { readonly [P in keyof T]?: T[P] | FindOperator<T[P]> };

interface Filtered<T> {
  /** By equality, with a value or with one of a list. An undefined filter is left out. */
  readonly filters?: { readonly [P in keyof T]?: T[P] | readonly T[P][] | undefined };
  readonly limit: number;
}

export interface PageRequest<T, By extends Orders<T>> extends Filtered<T> {
  /** A unique property, in whose ascending order the list is: the id if there is none. */
  readonly by?: By;
  /** The page starts after this value of the property. */
  readonly after?: T[By] | undefined;
}

export interface LatestRequest<T> extends Filtered<T> {
  readonly by: Times<T>;
  readonly after?: Position | undefined;
}

/**
 * TypeORM's repository with faster forms of the frequent statements: prepared, and batched with those of other requests.
 * In a transaction, `transaction.withRepository(repository)`, they run on its connection, one by one.
 */
export class BatchedRepository<T extends EntityWithId> extends Repository<T> {
  protected cachedStatements: EntitySql | undefined;

  /** TypeORM makes the repository of a transaction without queues, and then copies them. */
  constructor(
    entity: EntityTarget<T>,
    manager: EntityManager,
    protected readonly queues: StatementQueues,
  ) {
    super(entity, manager);
  }

  /** A row that equals all of these values. A transaction locks it. */
  async readOne(where: Partial<T>): Promise<T | null> {
    const names = Object.keys(where);
    if (names.length === 0) throw new Error(`${this.name}.readOne() needs a condition.`);
    const { statements, queues } = this;
    // Citus locks no rows that may be in several shards.
    const isLocked = this.manager.queryRunner && !queues.isDistributed;
    const statement = isLocked ? statements.readOneLocked(names) : statements.readOne(names);
    const [row] = await this.read(statement, Object.values(where));
    return (row as T | undefined) ?? null;
  }

  /** The rows whose property has one of these values. Permissions are read at the primary. */
  async readListed<P extends string & keyof T>(
    property: P,
    values: readonly T[P][],
    purpose: Purpose = 'answer',
  ): Promise<readonly T[]> {
    const rows = await this.read(this.statements.readListed(property), [values], purpose);
    return rows as unknown as T[];
  }

  /** A page in ascending order of a unique property. */
  async readPage<By extends Orders<T> = Orders<T> & 'id'>(request: PageRequest<T, By>): Promise<Page<T>> {
    const { by = 'id', filters = {}, after, limit } = request;
    const given = Object.entries(filters).filter(isGiven);
    const names = given.map(nameOfFilter);
    const values = given.map(valueOfFilter);
    if (after !== undefined) values.push(after);
    names.push(by);
    // One row more than the limit tells whether another page follows.
    values.push(limit + 1);
    const rows = await this.read(this.statements.readPage(names, after !== undefined), values);
    return Page.of(rows as unknown as T[], limit, by);
  }

  /** A page in descending order of a time, and of the id for rows of the same time. */
  async readLatest({ by, filters = {}, after, limit }: LatestRequest<T>): Promise<Page<T>> {
    const given = Object.entries(filters).filter(isGiven);
    const values = given.map(valueOfFilter);
    if (after) values.push(after.time, after.id);
    values.push(limit + 1);
    const statement = this.statements.readLatest([...given.map(nameOfFilter), by], after !== undefined);
    const rows = (await this.read(statement, values)) as unknown as T[];
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return new Page(rows.slice(0, limit), last && String(new Position(last[by] as Date, last.id)));
  }

  /** Adds a row. It is committed when this resolves, except in a transaction. */
  async add(row: Omit<T, 'id'>): Promise<T> {
    const values: unknown[] = Object.values(row);
    if (values.includes(undefined)) return this.add(withoutUndefined(row));
    const statement = this.statements.insert(Object.keys(row));
    encode(statement, values);
    const [added] = await this.runInsert(row, statement, values);
    // A trigger or a rule can suppress a row without an error.
    if (!added) throw new Error(`The database stored no row of ${this.name}.`);
    return added as unknown as T;
  }

  private runInsert(row: Omit<T, 'id'>, statement: EntityStatement, values: unknown[]): Promise<Row[]> {
    if (this.manager.queryRunner) return this.runInTransaction(statement, values);
    const recorded = this.recordedChange;
    if (!recorded) {
      refuseOutside('change');
      const owner = currentScope()?.owner;
      return outsideScopes(() => this.queues.write(statement, values, owner));
    }
    return recorded.make<Row[]>(
      async (transaction) => [(await transaction.withRepository(this).add(row)) as unknown as Row],
      (hold) => this.queues.writeRecorded(statement, values, hold, recorded),
    );
  }

  /** Changes the row that meets all of these conditions, and returns it. Undefined changes nothing. */
  async change(where: Conditions<T>, changes: Partial<Omit<T, 'id'>>): Promise<T | null> {
    this.requireCondition(where, 'change');
    if (Object.values(changes).every((value) => value === undefined))
      return this.findOneBy(where as FindOptionsWhere<T>);
    const recorded = this.recordedChange;
    if (recorded)
      return recorded.makeOfRow((transaction) => transaction.withRepository(this).change(where, changes));
    const update = this.createQueryBuilder()
      .update()
      .set(changes as QueryDeepPartialEntity<T>);
    return this.rowOf(await this.narrowed(update.where(where), where).returning('*').execute());
  }

  /** Deletes the row that meets all of these conditions, and returns it. */
  async discard(where: Conditions<T>): Promise<T | null> {
    this.requireCondition(where, 'discard');
    const recorded = this.recordedChange;
    if (recorded) return recorded.makeOfRow((transaction) => transaction.withRepository(this).discard(where));
    const deletion = this.createQueryBuilder().delete();
    return this.rowOf(await this.narrowed(deletion.where(where), where).returning('*').execute());
  }

  /** For what else is known of the rows that meet the conditions. */
  protected narrowed<Q extends UpdateQueryBuilder<T> | DeleteQueryBuilder<T>>(
    query: Q,
    _where: Conditions<T>,
  ): Q {
    return query;
  }

  private rowOf({ raw }: { raw: Row[] }): T | null {
    const [row] = raw;
    return row ? (this.statements.rowOf(row) as unknown as T) : null;
  }

  private requireCondition(where: Conditions<T>, method: string): void {
    if (Object.keys(where).length === 0) throw new Error(`${this.name}.${method}() needs a condition.`);
    this.requireValues(Object.values(where));
  }

  protected read(statement: EntityStatement, values: unknown[], purpose: Purpose = 'answer'): Promise<Row[]> {
    this.requireValues(values);
    encode(statement, values);
    if (this.isInTransaction) return this.runInTransaction(statement, values);
    const owner = currentScope()?.owner;
    return outsideScopes(() =>
      purpose === 'permission'
        ? this.queues.readPermission(statement, values)
        : this.queues.read(statement, values, owner),
    );
  }

  /** @throws for null and undefined, which equal nothing */
  private requireValues(values: unknown[]): void {
    for (const value of values) {
      if (value === null || value === undefined)
        throw new Error(
          `A condition on ${this.name} is ${String(value)}. For null, use TypeORM's IsNull(), in change(), discard() or findOneBy().`,
        );
    }
  }

  /** @throws while another transaction is open in this asynchronous context */
  private get isInTransaction(): boolean {
    if (this.manager.queryRunner) return true;
    refuseOutside('read');
    return false;
  }

  /** In a request with an Idempotency-Key, outside of a transaction. */
  protected get recordedChange(): RecordedChange | undefined {
    return this.manager.queryRunner ? undefined : RecordedChange.ofCaller();
  }

  private async runInTransaction({ text }: EntityStatement, values: unknown[]): Promise<Row[]> {
    const { statements } = this;
    try {
      const rows = await this.manager.query<Row[]>(text, values);
      return rows.map((row) => statements.rowOf(row));
    } catch (error) {
      throw driverErrorOf(error);
    }
  }

  private get name(): string {
    return this.metadata.name;
  }

  protected get statements(): EntitySql {
    // TypeORM has no metadata before it connects.
    if (!this.manager.dataSource.isInitialized) throw new DatabaseOutage();
    return (this.cachedStatements ??= this.makeStatements());
  }

  protected makeStatements(): EntitySql {
    return EntitySql.of(this.metadata);
  }
}

type Filter = [name: string, value: unknown];

function isGiven([, value]: Filter): boolean {
  return value !== undefined;
}

function nameOfFilter([name, value]: Filter): string {
  return Array.isArray(value) ? `${name}[]` : name;
}

function valueOfFilter([, value]: Filter): unknown {
  return value;
}

/** In place, for speed. */
function encode({ encoders }: EntityStatement, values: unknown[]): void {
  for (let i = 0; i < values.length; i++) values[i] = (encoders[i] as Encoder)(values[i]);
}

/** TypeORM, too, gives a column its default for undefined. */
function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
