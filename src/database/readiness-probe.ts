import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { EntitySql } from './batching/entity-sql.js';
import type { StatementQueues } from './batching/statement-queues.js';
import { DatabaseBusy, DatabaseOutage, DatabaseRefusal } from './database-errors.js';
import type { ClusterNodes, NodesSeen } from './distribution.js';
import { isNeeded } from './needed.js';
import { LOCK_NOT_AVAILABLE } from './sqlstate.js';

/** Several load balancers may each ask every second. */
const EVERY_MS = 1_000;
/** Longer than keys are remembered. */
const LOCKED_MS = 3_000;

/**
 * Checks that the tables can be read as the entities describe them: a statement per entity that returns no row, through
 * the queue of requests, at most once a second.
 */
export class ReadinessProbe {
  /** The nodes of a cluster that the coordinator could not reach at the last check. */
  missing: readonly string[] = [];
  private readonly logger = new Logger('Database');
  private answer: Promise<void> = Promise.resolve();
  private askedAt = -Infinity;
  /** Since when a table has been locked without which nothing works, until it can be read. */
  private neededLockedAt: number | undefined;

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
    // The queue is full, or stalled for a moment. Without this replica the others would be even busier.
    if (error instanceof DatabaseBusy) return error.cause === undefined;
    // No answer came. The heartbeat decides whether that is an outage.
    return this.hasHeartbeat && error instanceof DatabaseOutage && !(error instanceof DatabaseRefusal);
  }

  private async ask(): Promise<void> {
    const [tables, nodes] = await Promise.allSettled([this.askTables(), this.nodes?.check()]);
    // The heartbeat tells when the coordinator itself is away.
    if (nodes.status === 'fulfilled' && nodes.value) this.judge(nodes.value);
    if (tables.status === 'rejected') throw tables.reason;
  }

  /** What the nodes that are left store can be used, and all replicas miss the same: unready ones would end that as well. */
  private judge({ present, missing }: NodesSeen): void {
    const names = missing.join(', ');
    if (names !== this.missing.join(', '))
      this.logger.warn(names ? `Nodes of the database do not answer: ${names}` : 'All nodes answer again.');
    this.missing = missing;
    if (names && present.length === 0)
      throw new DatabaseRefusal(undefined, `No node of the database answers: ${names}.`);
  }

  private async askTables(): Promise<void> {
    const { entityMetadatas } = this.dataSource;
    const answers = await Promise.allSettled(
      entityMetadatas.map((entity) => this.queues.readAtPrimary(EntitySql.of(entity).readNothing(), [])),
    );
    const errors = answers.map((answer): unknown =>
      answer.status === 'rejected' ? answer.reason : undefined,
    );
    this.noteNeeded(errors.filter((_, i) => isNeeded(entityMetadatas[i]!)));
    const lock = errors.find(isLock);
    if (lock && (errors.every(isLock) || this.hasNeededLockedLong)) throw lock;
    // A table that someone has locked is locked for all replicas, and the others still work.
    const failure = errors.find((error) => error !== undefined && !isLock(error));
    if (failure) throw failure;
  }

  /** Under load, a read of a locked table may fail earlier for another reason. */
  private noteNeeded(errors: readonly unknown[]): void {
    if (errors.some(isLock)) this.neededLockedAt ??= performance.now();
    else if (errors.every((error) => error === undefined)) this.neededLockedAt = undefined;
  }

  private get hasNeededLockedLong(): boolean {
    return performance.now() - (this.neededLockedAt ?? Infinity) >= LOCKED_MS;
  }
}

function isLock(error: unknown): boolean {
  const cause = (error as Error | undefined)?.cause as { code?: unknown } | undefined;
  return cause?.code === LOCK_NOT_AVAILABLE;
}
