import { isDeepStrictEqual } from 'node:util';
import type { EntityMetadata, ObjectLiteral } from 'typeorm';

/** Builds the statements of a table, which return rows with the properties of its entity. */
export class Table {
  /** The maximum number of rows in an INSERT. More would gain little. */
  groupSize = 32;
  readonly name: string;
  /**
   * Whether an INSERT can wait for another transaction: for the same id (unless ids are generated), or because of a unique
   * index, an exclusion constraint or a foreign key. All statements that share its connection would wait with it.
   */
  readonly mayWait: boolean;
  private readonly selected: string;
  /** The properties whose values the database does not generate, and their columns. */
  private readonly written: string[];
  private readonly into: string;

  constructor({ tablePath, columns, indices, uniques, exclusions, foreignKeys }: EntityMetadata) {
    this.name = tablePath;
    this.mayWait =
      columns.some(({ isPrimary, isGenerated }) => isPrimary && !isGenerated) ||
      indices.some(({ isUnique }) => isUnique) ||
      [uniques, exclusions, foreignKeys].some(({ length }) => length > 0);
    this.selected = columns.map((one) => `"${one.databaseName}" AS "${one.propertyName}"`).join(', ');
    const written = columns.filter((each) => !each.isGenerated && each.default === undefined);
    this.written = written.map(({ propertyName }) => propertyName);
    this.into = written.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  }

  select(clauses: string): string {
    return `SELECT ${this.selected} FROM ${this.name} ${clauses}`;
  }

  insert(rows: readonly ObjectLiteral[]): [text: string, values: unknown[]] {
    const values: unknown[] = [];
    const tuples = rows.map((row) => `(${this.written.map((each) => `$${values.push(row[each])}`).join(', ')})`);
    return [`INSERT INTO ${this.name} (${this.into}) VALUES ${tuples.join(', ')} RETURNING ${this.selected}`, values];
  }

  isOf(given: ObjectLiteral, stored: ObjectLiteral): boolean {
    return this.written.every((each) => isDeepStrictEqual(stored[each], given[each] ?? null));
  }
}
