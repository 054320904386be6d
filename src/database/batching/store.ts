import { Inject, type Type } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Page } from '../../api/paging/page.js';
import { DatabaseOutage } from '../outage.js';
import { EntityStatements } from './entity-statements.js';
import type { Statements } from './statements.js';

export interface Stored {
  readonly id: bigint;
}

export interface PageRequest<T> {
  /** What the rows must be equal to; a property that is undefined does not filter. */
  readonly where?: { readonly [P in keyof T]?: T[P] | undefined };
  /** The page begins behind this id. */
  readonly after?: bigint | undefined;
  readonly limit: number;
}

/**
 * The rows of an entity, for what requests do all the time: one statement each, prepared, and sent together with those
 * of other requests. Everything else is TypeORM's, on the same tables.
 */
export class Store<T extends Stored> {
  private written: EntityStatements | undefined;

  constructor(
    private readonly entity: Type<T>,
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
  ) {}

  async findOneBy(where: Partial<T>): Promise<T | null> {
    const statement = this.texts().findOne(Object.keys(where));
    const [row] = await this.statements.read(statement, Object.values(where));
    return (row as T | undefined) ?? null;
  }

  async findPage({ where = {}, after, limit }: PageRequest<T>): Promise<Page<T>> {
    const filters = Object.entries(where).filter(([, value]) => value !== undefined);
    const names = filters.map(([name]) => name);
    const values = filters.map(([, value]) => value as unknown);
    if (after !== undefined) values.push(after);
    // One row more than asked for, when there are more: that is how the end of the list is told.
    values.push(limit + 1);
    const rows = await this.statements.read(this.texts().findPage(names, after !== undefined), values);
    return Page.of(rows as unknown as T[], limit);
  }

  /** Stores one, and resolves when it is committed. */
  async insert(values: Omit<T, 'id'>): Promise<T> {
    const statement = this.texts().insert(Object.keys(values));
    const [row] = await this.statements.write(statement, Object.values(values));
    // A trigger or a rule can leave a row out without an error.
    if (!row) throw new Error(`The database stored no row of ${this.entity.name}.`);
    return row as unknown as T;
  }

  private texts(): EntityStatements {
    // TypeORM learns its entities when it first connects.
    if (!this.dataSource.isInitialized) throw new DatabaseOutage();
    return (this.written ??= new EntityStatements(this.dataSource.getMetadata(this.entity)));
  }
}

const tokens = new Map<Type, symbol>();

/** What a store of an entity is provided as. */
export function storeOf(entity: Type): symbol {
  const token = tokens.get(entity) ?? Symbol(`Store<${entity.name}>`);
  tokens.set(entity, token);
  return token;
}

/** Injects the store of an entity that the module keeps: `@InjectStore(Pet) private readonly pets: Store<Pet>`. */
export function InjectStore(entity: Type): ParameterDecorator & PropertyDecorator {
  return Inject(storeOf(entity));
}
