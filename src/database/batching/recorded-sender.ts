import type pg from 'pg';
import { DatabaseError } from 'pg';
import { meaningOfError, OutcomeUnknown, toTransactionError } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { readSockets } from '../server/read-sockets.js';
import { LOCK_NOT_AVAILABLE, mayBeOutdated, UNIQUE_VIOLATION } from '../sqlstate.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { BEGIN, COMMIT, LIMITS, ownQuery, ROLLBACK } from './batch-plan.js';
import type { BatchTarget } from './batch-sender.js';
import { combineInserts } from './combine-inserts.js';
import { type Isolation, isolated } from './isolation.js';
import { type FailedStatement, isBeforeCommit, PipelinedBatch } from './pipelined-batch.js';
import type { Companion, PendingQuery, Row } from './statement.js';

const { waitMs, answerMs, renderMs } = DATABASE_LIMITS;

/** Isolated inserts that take longer cost a batch too much of its time. */
const SLOW_MS = answerMs / 2;

type Client = pg.PoolClient & RowParsingClient;

/** As `StatementQueues` sets it for connections without a pooler. */
const IDLE_LIMIT = ownQuery(
  `SELECT set_config('idle_in_transaction_session_timeout', '${waitMs + answerMs}', true)`,
);

/**
 * Sends a batch of inserts whose requests answer before the commit: first the inserts, then their companions and the
 * commit. If something goes wrong, all of them are rolled back and each request runs again, unless they may be committed.
 * In isolation, an insert that is refused fails alone.
 */
export class RecordedSender {
  constructor(
    private readonly target: BatchTarget,
    private readonly isolation: Isolation,
    /** Called at the end, with an error if there was no connection. */
    private readonly done: (error?: Error) => void,
  ) {}

  start(take: () => PendingQuery[]): void {
    this.target.pool().connect((error, client, release) => {
      if (!client) {
        this.done(error);
        return;
      }
      new OpenBatch(this.target, this.isolation, client as Client, take(), (isUsable) => {
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
  private readonly rows: Row[][] = [];
  /** One for each request. */
  private inserts: readonly PendingQuery[] = [];
  /** Why the inserts of some requests failed alone, by their positions. */
  private readonly refusals = new Map<number, DatabaseError>();
  private state: 'inserting' | 'held' | 'committing' | 'rolling back' | 'ended' = 'inserting';
  private sent: PipelinedBatch | undefined;
  private isBroken = false;
  /** Why the other requests fail. */
  private outcome: Error | undefined;
  private isIsolated = false;
  private readonly startedAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private renderTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly target: BatchTarget,
    private readonly isolation: Isolation,
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
    this.inserts = this.queries.map((query, i) => ({ ...query, resolve: (of) => void (this.rows[i] = of) }));
    this.isIsolated = this.isolation.isOn;
    const { named, isEmbedded, distribution } = this.target;
    const begin = isEmbedded || named ? [BEGIN] : [BEGIN, LIMITS, IDLE_LIMIT];
    const units = this.isIsolated
      ? isolated(begin, this.inserts, !isEmbedded)
      : [[...begin, ...combineInserts(this.inserts, distribution)]];
    this.exchange(units, () => this.hold());
  }

  /** Lets the requests answer. */
  private hold(): void {
    const isSlow = performance.now() - this.startedAt > SLOW_MS;
    if (this.isIsolated && isSlow && this.refusals.size === 0) this.isolation.end();
    let missing = this.queries.length - this.refusals.size;
    if (missing === 0) {
      this.rollBack();
      return;
    }
    this.state = 'held';
    this.renderTimer = setTimeout(() => this.fail(new RunAgain()), renderMs);
    for (const [i, query] of this.queries.entries()) {
      if (this.refusals.has(i)) continue;
      query.hold?.(this.rows[i] ?? [], (companion) => {
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
    // Without the holes that refused inserts leave.
    const inserts = Object.values(this.companions).map((companion) => ({ ...ownQuery(''), ...companion }));
    this.exchange([[...combineInserts(inserts, this.target.distribution), COMMIT]], () => this.end(true));
  }

  private fail(cause: unknown, failed?: FailedStatement): void {
    if (this.state === 'ended') return;
    clearTimeout(this.renderTimer);
    this.outcome ??= this.outcomeAfter(cause, failed);
    if (cause instanceof DatabaseError) this.countLock(cause, failed);
    if (this.isBroken || !saysNothingOfConnection(cause) || this.state === 'rolling back') this.end(false);
    else this.rollBack();
  }

  private rollBack(): void {
    this.state = 'rolling back';
    this.exchange([[ROLLBACK]], () => this.end(true));
  }

  /** A lock lasts longer than its request, which does not get to run alone. */
  private countLock(error: DatabaseError, failed?: FailedStatement): void {
    if (meaningOfError(error) !== 'busy') return;
    this.target.refusals.count(error, failed?.query.statement.name || this.queries[0]?.statement.name);
  }

  private outcomeAfter(cause: unknown, failed?: FailedStatement): Error {
    if (!(cause instanceof DatabaseError))
      return this.state === 'committing' ? new OutcomeUnknown({ cause }) : new RunAgain();
    if (this.state === 'committing' && !(failed && isBeforeCommit(cause, failed))) {
      const isUnknown = toTransactionError(cause, true) instanceof OutcomeUnknown;
      if (this.isBroken || isUnknown) return new OutcomeUnknown({ cause });
    }
    return new RunAgain({ cause }, this.tellsNext(cause, failed) ? 'none' : 'unknown');
  }

  /** Whether the next attempt, in isolation or with its records looked up first, tells which request is at fault. */
  private tellsNext(error: DatabaseError, failed?: FailedStatement): boolean {
    const { code = '' } = error;
    if (this.state === 'committing' && failed && failed.query.statement.text !== COMMIT.statement.text)
      return code === UNIQUE_VIOLATION;
    if (this.isIsolated || !concernsOne(error)) return false;
    // Not after a timeout: isolated inserts take longer still.
    if (meaningOfError(error) === 'busy' && code !== LOCK_NOT_AVAILABLE) return false;
    this.isolation.begin();
    return true;
  }

  private refuse(position: number, error: DatabaseError, failed?: FailedStatement): void {
    this.countLock(error, failed);
    this.isolation.begin();
    this.refusals.set(position, error);
  }

  private end(isUsable: boolean): void {
    this.state = 'ended';
    clearTimeout(this.timer);
    const { outcome } = this;
    for (const [i, { resolve, reject }] of this.queries.entries()) {
      const refusal = this.refusals.get(i);
      if (refusal) reject(this.refusalOf(refusal));
      else if (outcome) reject(outcome);
      else resolve([]);
    }
    this.done(isUsable);
  }

  /** It is final beside inserts that are committed. All of them waiting for a lock is the fault of none. */
  private refusalOf(cause: DatabaseError): Error {
    if (this.outcome) return new RunAgain({ cause }, 'none');
    if (meaningOfError(cause) === 'own') return cause;
    const isForAll = this.queries.length > 1 && this.refusals.size === this.queries.length;
    return new RunAgain({ cause }, isForAll ? 'none' : 'own');
  }

  /** PgBouncer 1.18 drops a connection that pipelines transactions: without names, the units follow one by one. */
  private exchange(units: PendingQuery[][], succeeded: () => void): void {
    const sent = this.target.named ? units : units.slice(0, 1);
    const next = units.slice(sent.length);
    let refusal: { error: DatabaseError; failed: FailedStatement | undefined } | undefined;
    const listener = {
      committed: (unit: readonly PendingQuery[], rows: Row[][]) =>
        unit.forEach((query, i) => query.resolve(rows[i] ?? [])),
      rolledBack: (_: unknown, error: DatabaseError, failed?: FailedStatement) => {
        const position = failed && this.state === 'inserting' ? this.inserts.indexOf(failed.query) : -1;
        const isAlone = position >= 0 && (this.isIsolated || this.queries.length === 1);
        if (isAlone && !refusal && concernsOne(error)) this.refuse(position, error, failed);
        else refusal ??= { error, failed };
      },
    };
    const answered = (): void => {
      this.target.availability.recordResponse();
      if (refusal) this.fail(refusal.error, refusal.failed);
      else if (next.length > 0 && this.state !== 'ended') this.exchange(next, succeeded);
      else succeeded();
    };
    this.sent = new PipelinedBatch(sent, this.target.named, listener, { answered, broken: this.broken });
    this.client.query(this.sent);
  }

  private readonly broken = (cause: unknown): void => {
    this.isBroken = true;
    this.fail(cause instanceof Error ? cause : new Error('The batch was not answered.', { cause }));
  };

  /** A late answer would be taken for that of the next batch. */
  private async giveUp(): Promise<void> {
    await readSockets();
    if (this.state === 'ended') return;
    if (this.isIsolated && this.state === 'inserting') this.isolation.end();
    this.target.refusals.countLate('answer', this.queries[0]?.statement.name);
    this.client.abandon(this.sent?.unanswered.length ?? 0, () => this.broken(undefined));
  }
}

/** Such as a value or a lock, and neither the connection nor its prepared statement. */
function concernsOne(error: DatabaseError): boolean {
  return ['own', 'busy'].includes(meaningOfError(error)) && !mayBeOutdated(error.code ?? '');
}

/** Such as a value, a lock or a full disk. On a cluster, a new connection makes others to all nodes. */
function saysNothingOfConnection(cause: unknown): boolean {
  if (!(cause instanceof DatabaseError)) return cause instanceof RunAgain;
  const { code = '' } = cause;
  const isOfStatement = ['own', 'busy', 'conflict'].includes(meaningOfError(cause)) || code.startsWith('53');
  return isOfStatement && !mayBeOutdated(code);
}
