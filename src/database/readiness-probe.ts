import type { DataSource } from 'typeorm';
import { EntitySql } from './batching/entity-sql.js';
import type { StatementQueues } from './batching/statement-queues.js';
import { DatabaseBusy, DatabaseOutage, DatabaseRefusal } from './database-errors.js';
import type { ClusterNodes } from './distribution.js';
import { LOCK_NOT_AVAILABLE } from './sqlstate.js';

/** Several load balancers may each ask every second. */
const EVERY_MS = 1_000;

/**
 * Checks that the tables can be read as the entities describe them: a statement per entity that returns no row, through
 * the queue of requests, at most once a second.
 */
export class ReadinessProbe {
  private answer: Promise<void> = Promise.resolve();
  private askedAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queues: Pick<StatementQueues, 'readAtPrimary'>,
    private readonly hasHeartbeat: boolean,
    private readonly nodes?: ClusterNodes,
  ) {}

  run(): Promise<void> {
    if (performance.now() - this.askedAt < EVERY_MS) return this.answer;
    this.askedAt = performance.now();
    const previous = this.answer;
    this.answer = this.ask().catch((error: unknown) => {
      this.askedAt = -Infinity; // a recovery shows at once
      if (this.isInconclusive(error)) return previous;
      throw error;
    });
    return this.answer;
  }

  private isInconclusive(error: unknown): boolean {
    // The queue is full. Without this replica the others would be even busier.
    if (error instanceof DatabaseBusy) return error.cause === undefined;
    // No answer came. The heartbeat decides whether that is an outage.
    return this.hasHeartbeat && error instanceof DatabaseOutage && !(error instanceof DatabaseRefusal);
  }

  private async ask(): Promise<void> {
    const { entityMetadatas } = this.dataSource;
    const answers = await Promise.allSettled(
      entityMetadatas.map((entity) => this.queues.readAtPrimary(EntitySql.of(entity).readNothing(), [])),
    );
    const errors = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    // A table that someone has locked is locked for all replicas, and the others still work.
    const failures = errors.length < answers.length ? errors.filter((error) => !isLock(error)) : errors;
    if (failures.length > 0) throw failures[0];
    // The heartbeat tells when the coordinator itself is away.
    const missing = (await this.nodes?.missing().catch(() => [])) ?? [];
    if (missing.length > 0)
      throw new DatabaseRefusal(undefined, `Nodes of the database do not answer: ${missing.join(', ')}.`);
  }
}

function isLock(error: unknown): boolean {
  const cause = (error as Error).cause as { code?: unknown } | undefined;
  return cause?.code === LOCK_NOT_AVAILABLE;
}
