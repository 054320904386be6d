import type { DataSource, EntityMetadata } from 'typeorm';
import { DatabaseBusy, DatabaseOutage, DatabaseRefusal } from './outage.js';
import type { Statement } from './batching/statement.js';
import type { Statements } from './batching/statements.js';

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
    private readonly hasHeartbeat: boolean,
  ) {}

  run(): Promise<void> {
    if (performance.now() - this.askedAt < EVERY_MS) return this.answer;
    this.askedAt = performance.now();
    const before = this.answer;
    this.answer = this.ask().catch((error: unknown) => {
      // That it works again is to be known at once.
      this.askedAt = -Infinity;
      if (this.saysNothing(error)) return before;
      throw error;
    });
    return this.answer;
  }

  private saysNothing(error: unknown): boolean {
    // The queue was full: taking a busy replica away would make the others busier.
    if (error instanceof DatabaseBusy) return error.cause === undefined;
    // No answer came: whether the server is away is for the heartbeat to say.
    return this.hasHeartbeat && error instanceof DatabaseOutage && !(error instanceof DatabaseRefusal);
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
