import type pg from 'pg';
import { giveUpAfter } from '../../common/patience.js';
import type { Availability } from '../availability.js';
import { DatabaseOutage, toOutage } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { BatchPlan, type BatchRules } from './batch-plan.js';
import type { BatchSize } from './batch-size.js';
import { isCallerQuery } from './own-statements.js';
import { forgetStatements, PipelinedBatch } from './pipelined-batch.js';
import type { PendingQuery } from './statement.js';
import { UnitTimes } from './unit-times.js';

/** Where the batches of a queue go. */
export interface BatchTarget extends BatchRules {
  readonly pool: () => pg.Pool;
  readonly availability: Availability;
  /** Instead of the usual limits. */
  readonly answerMs?: number;
  readonly size: BatchSize;
  /** Whether its pool has one connection more, for use beside a batch that is late. */
  readonly hasSpare?: boolean;
  /** Of the queue of reads, which is made before it. */
  readonly inquiry?: () => ReadInquiry | undefined;
}

/** Finds out whose reads take long. */
export interface ReadInquiry {
  /** Given those of a batch that was given up. */
  given(reads: readonly PendingQuery[]): void;
  /** Given those that got no turn. */
  late(reads: readonly PendingQuery[]): void;
}

/** Takes the queries of a batch: as many as the target's size says, or fewer. */
export type Take = (most?: number) => PendingQuery[];

export type Release = (broken?: boolean) => void;

/** Sends a batch and its retries until every query is settled. */
export class BatchSender {
  private readonly plan: BatchPlan;

  /** Calls `done` at the end, with an error when there was no connection for the first attempt. */
  constructor(
    private readonly target: BatchTarget,
    protected readonly done: (error?: Error) => void,
  ) {
    this.plan = new BatchPlan(target);
  }

  /** Calls `take` once there is a connection, so that queries that arrive until then join the batch. */
  start(take: Take): void {
    this.connect(() => take(this.most), this.done);
  }

  /** Where the way loses large packets, measured batches are small, too. */
  private get most(): number | undefined {
    const { kind, size, probes } = this.target;
    const { most } = this.plan;
    const isOfAll = kind === 'read' && !probes?.areOfParty;
    return most !== undefined && isOfAll ? Math.min(most, size.most) : most;
  }

  private connect(take: () => PendingQuery[], failed: (error?: Error) => void): void {
    this.target.pool().connect((error, client, release) => {
      if (client) this.send(take(), client, release);
      else failed(error);
    });
  }

  protected send(queries: PendingQuery[], client: pg.PoolClient, release: Release): void {
    if (queries.length === 0) {
      release();
      this.done();
      return;
    }
    let ended = false;
    const end = (next: () => void): void => {
      if (ended) return;
      ended = true;
      cancel();
      next();
    };
    const lost = (cause: unknown): void =>
      end(() => {
        const { kind, size, availability, inquiry } = this.target;
        const isLate = cause === undefined;
        // Small batches of writes would make commits that are slow the more numerous.
        if (isLate && kind === 'read') size.lostAnswer();
        else size.lost();
        if (isLate) times?.lost(batch.unanswered);
        const isOfWay = isLate && kind === 'read' && availability.losesAnswers;
        if (isOfWay) times?.end();
        if (times) probes?.compare(times);
        if (isLate && kind === 'read') probes?.lostAnswer(isOfWay);
        if (isLate && !isOfWay) inquiry?.()?.given(batch.unanswered.flat().filter(isCallerQuery));
        this.plan.lost(batch.unanswered, cause);
        this.replaceConnection(release);
      });
    // A late answer would be taken for that of the next batch.
    const cancel = giveUpAfter(this.target.answerMs ?? DATABASE_LIMITS.answerMs, () =>
      (client as pg.PoolClient & RowParsingClient).abandon(batch.unanswered.length, () => lost(undefined)),
    );
    const sentAt = performance.now();
    this.plan.hasOldConnection = (client as pg.PoolClient & RowParsingClient).isOld;
    const transactions = this.plan.transactionsOf(queries);
    const { probes } = this.target;
    const times = probes && this.plan.isComparison ? new UnitTimes(this.plan.lockWait) : undefined;
    const listener = times?.of(this.plan) ?? this.plan;
    const batch = new PipelinedBatch(transactions, this.target.named, listener, {
      answered: () => {
        const { availability } = this.target;
        availability.recordResponse();
        if (this.plan.hasCommitted) availability.recordCommit(sentAt);
        const ms = performance.now() - sentAt;
        if (this.plan.isSmooth) this.target.size.answered(queries.length, ms);
        if (this.plan.wasCombined) probes?.combined(ms);
        if (times) probes?.compare(times);
        end(() => {
          if (this.plan.needsNewConnection) this.replaceConnection(release);
          else this.sendRetries(client, release);
        });
      },
      broken: lost,
    });
    client.query(batch);
  }

  private sendRetries(client: pg.PoolClient, release: Release): void {
    if (this.plan.needsNewStatements) {
      forgetStatements(client);
      this.plan.statementsForgotten();
    }
    this.send(this.plan.takeRetries(), client, release);
  }

  private replaceConnection(release: Release): void {
    release(true);
    this.plan.connectionReplaced();
    const retries = this.plan.takeRetries();
    if (retries.length === 0) {
      this.done();
      return;
    }
    this.connect(
      () => retries,
      (cause) => {
        const outage = noConnection(cause);
        for (const { reject } of retries) reject(outage);
        this.done();
      },
    );
  }
}

/** Why there was no connection, as the callers are told. */
export function noConnection(cause: unknown): DatabaseOutage {
  return toOutage(cause, false) ?? new DatabaseOutage(undefined, { cause });
}
