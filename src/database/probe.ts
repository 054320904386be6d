import type { DataSource, EntityMetadata } from 'typeorm';
import { DatabaseBusy } from './outage.js';
import type { Statement } from './statements/statement.js';
import type { Statements } from './statements/statements.js';

/** Load balancers ask each second, and several of them at once. */
const EVERY_MS = 1_000;

/**
 * Whether the tables can be read as the entities describe them. It asks for no row of each, through the queue that
 * requests go through, at most once a second: one batch with a statement for each entity, planned once a connection.
 */
export class Probe {
  private answer: Promise<void> = Promise.resolve();
  private askedAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Pick<Statements, 'read'>,
  ) {}

  run(): Promise<void> {
    const now = performance.now();
    if (now - this.askedAt < EVERY_MS) return this.answer;
    this.askedAt = now;
    const before = this.answer;
    // A queue that is full says nothing of the tables: taking a busy replica away would make the others busier.
    this.answer = this.ask().catch((error: unknown) => {
      if (error instanceof DatabaseBusy && error.cause === undefined) return before;
      throw error;
    });
    return this.answer;
  }

  private async ask(): Promise<void> {
    const { entityMetadatas } = this.dataSource;
    await Promise.all(entityMetadatas.map((entity) => this.statements.read(noRowsOf(entity), [])));
  }
}

function noRowsOf({ tableName, tablePath, columns }: EntityMetadata): Statement {
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const names = columns.map(({ databaseName }) => quote(databaseName)).join(', ');
  const table = tablePath.split('.').map(quote).join('.');
  return { name: `${tableName} probe`, text: `SELECT ${names} FROM ${table} LIMIT 0`, properties: [] };
}
