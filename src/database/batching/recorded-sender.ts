import type pg from 'pg';
import { DatabaseError } from 'pg';
import { meaningOfError, OutcomeUnknown, toTransactionError } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { readSockets } from '../server/read-sockets.js';
import { LOCK_NOT_AVAILABLE, mayBeOutdated } from '../sqlstate.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { BEGIN, COMMIT, LIMITS, ownQuery, ROLLBACK } from './batch-plan.js';
import type { BatchTarget } from './batch-sender.js';
import { combineInserts } from './combine-inserts.js';
import { type FailedStatement, isBeforeCommit, PipelinedBatch } from './pipelined-batch.js';
import type { Separation } from './separation.js';
import type { Companion, PendingQuery, Row } from './statement.js';

const { waitMs, answerMs, renderMs } = DATABASE_LIMITS;

/** Separate inserts that take longer cost a batch too much of its time. */
const SLOW_MS = answerMs / 2;

type Client = pg.PoolClient & RowParsingClient;

/** As `StatementQueues` sets it for connections without a pooler. */
const IDLE_LIMIT = ownQuery(
  `SELECT set_config('idle_in_transaction_session_timeout', '${waitMs + answerMs}', true)`,
);

/**
 * Sends a batch of inserts whose requests answer before the commit: first the inserts, then their companions and the
 * commit. If something goes wrong, all of them are rolled back and each request runs again, unless they may be committed.
 */
export class RecordedSender {
  constructor(
    private readonly target: BatchTarget,
    private readonly separation: Separation,
    /** Called at the end, with an error if there was no connection. */
    private readonly done: (error?: Error) => void,
  ) {}

  start(take: () => PendingQuery[]): void {
    this.target.pool().connect((error, client, release) => {
      if (!client) {
        this.done(error);
        return;
      }
      new OpenBatch(this.target, this.separation, client as Client, take(), (isUsable) => {
        release(!isUsable);
        this.done();
      }).start();
    });
  }
}

/**
 * The transaction of a batch. Its exchanges with the server end within the time of any batch. It has callbacks because
 * with promises V8 kept whole requests until a major collection.
 */
class OpenBatch {
  private readonly companions: Companion[] = [];
  /** One for each request. */
  private inserts: readonly PendingQuery[] = [];
  private state: 'inserting' | 'held' | 'committing' | 'rolling back' | 'ended' = 'inserting';
  private isBroken = false;
  /** Why the requests fail. */
  private outcome: Error | undefined;
  /** The position of the request whose insert failed, or -1. */
  private atFault = -1;
  private isSeparate = false;
  private readonly startedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private renderTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly target: BatchTarget,
    private readonly separation: Separation,
    private readonly client: Client,
    private readonly queries: readonly PendingQuery[],
    /** Called at the end: the connection can be used again, or cannot. */
    private readonly done: (isUsable: boolean) => void,
  ) {}

  start(): void {
    if (this.queries.length === 0) {
      this.done(true);
      return;
    }
    this.timer = setTimeout(() => void this.giveUp(), answerMs);
    const rows: Row[][] = [];
    const inserts = this.queries.map((query, i) => ({
      ...query,
      resolve: (of: Row[]) => void (rows[i] = of),
    }));
    const { named, isEmbedded, distribution } = this.target;
    const limits = isEmbedded || named ? [] : [LIMITS, IDLE_LIMIT];
    this.isSeparate = this.separation.isOn;
    const sent = this.isSeparate ? inserts : combineInserts(inserts, distribution);
    this.inserts = inserts;
    this.exchange([BEGIN, ...limits, ...sent], () => this.hold(rows));
  }

  /** Lets the requests answer. */
  private hold(rows: readonly Row[][]): void {
    if (this.isSeparate && performance.now() - this.startedAt > SLOW_MS) this.separation.end();
    this.state = 'held';
    this.renderTimer = setTimeout(() => this.fail(new RunAgain()), renderMs);
    let missing = this.queries.length;
    for (const [i, query] of this.queries.entries()) {
      query.hold?.(rows[i] ?? [], (companion) => {
        if (this.state !== 'held') return;
        if (!companion) {
          this.fail(new RunAgain());
          return;
        }
        this.companions[i] = companion;
        if (--missing === 0) this.commit();
      });
    }
  }

  private commit(): void {
    clearTimeout(this.renderTimer);
    this.state = 'committing';
    const inserts = this.companions.map((companion) => ({ ...ownQuery(''), ...companion }));
    this.exchange([...combineInserts(inserts, this.target.distribution), COMMIT], () => this.end(true));
  }

  private fail(cause: unknown, failed?: FailedStatement): void {
    if (this.state === 'ended') return;
    clearTimeout(this.renderTimer);
    this.outcome ??= this.outcomeAfter(cause, failed);
    if (cause instanceof DatabaseError) this.note(cause, failed);
    if (this.isBroken || !saysNothingOfConnection(cause) || this.state === 'rolling back') {
      this.end(false);
      return;
    }
    this.state = 'rolling back';
    this.exchange([ROLLBACK], () => this.end(true));
  }

  private note(error: DatabaseError, failed?: FailedStatement): void {
    const meaning = meaningOfError(error);
    const { code = '' } = error;
    if (meaning === 'busy') {
      // A lock lasts longer than its request, which does not get to run alone.
      this.target.refusals.count(error, failed?.query.statement.name || this.queries[0]?.statement.name);
    }
    if (this.state !== 'inserting' || !failed?.query.statement.name) return;
    const isRefused = meaning === 'own' && !mayBeOutdated(code);
    if (meaning === 'busy' || isRefused) this.atFault = this.inserts.indexOf(failed.query);
    // Not after a timeout: separate inserts take longer still.
    if (isRefused || code === LOCK_NOT_AVAILABLE) this.separation.begin();
  }

  private outcomeAfter(cause: unknown, failed?: FailedStatement): Error {
    const isRefused = cause instanceof DatabaseError;
    const again = new RunAgain(isRefused ? { cause } : {});
    if (this.state !== 'committing' || (failed && isBeforeCommit(cause as DatabaseError, failed)))
      return again;
    const isUnknown = toTransactionError(cause, true) instanceof OutcomeUnknown;
    return this.isBroken || isUnknown ? new OutcomeUnknown({ cause }) : again;
  }

  private end(isUsable: boolean): void {
    this.state = 'ended';
    clearTimeout(this.timer);
    const { outcome } = this;
    for (const [i, { resolve, reject }] of this.queries.entries()) {
      if (!outcome) resolve([]);
      else if (outcome instanceof RunAgain) reject(new RunAgain({ cause: outcome.cause }, this.faultOf(i)));
      else reject(outcome);
    }
    this.done(isUsable);
  }

  private faultOf(position: number): 'own' | 'of another' | undefined {
    if (this.atFault < 0) return undefined;
    return this.atFault === position ? 'own' : 'of another';
  }

  private exchange(queries: PendingQuery[], succeeded: () => void): void {
    let refusal: { error: DatabaseError; failed: FailedStatement | undefined } | undefined;
    const listener = {
      committed: (sent: readonly PendingQuery[], rows: Row[][]) =>
        sent.forEach((query, i) => query.resolve(rows[i] ?? [])),
      rolledBack: (_: unknown, error: DatabaseError, failed?: FailedStatement) =>
        void (refusal = { error, failed }),
    };
    const answered = (): void => {
      this.target.availability.recordResponse();
      if (refusal) this.fail(refusal.error, refusal.failed);
      else succeeded();
    };
    const connection = { answered, broken: this.broken };
    this.client.query(new PipelinedBatch([queries], this.target.named, listener, connection));
  }

  private readonly broken = (cause: unknown): void => {
    this.isBroken = true;
    this.fail(cause instanceof Error ? cause : new Error('The batch was not answered.', { cause }));
  };

  /** A late answer would be taken for that of the next batch. */
  private async giveUp(): Promise<void> {
    await readSockets();
    if (this.state === 'ended') return;
    if (this.isSeparate && this.state === 'inserting') this.separation.end();
    this.target.refusals.countLate('answer', this.queries[0]?.statement.name);
    this.client.abandon(1, () => this.broken(undefined));
  }
}

/** Such as a value, a lock or a full disk. On a cluster, a new connection makes others to all nodes. */
function saysNothingOfConnection(cause: unknown): boolean {
  if (!(cause instanceof DatabaseError)) return cause instanceof RunAgain;
  const { code = '' } = cause;
  const isOfStatement = ['own', 'busy', 'conflict'].includes(meaningOfError(cause)) || code.startsWith('53');
  return isOfStatement && !mayBeOutdated(code);
}
