import type pg from 'pg';
import { DatabaseError } from 'pg';
import { giveUpAfter } from '../../common/patience.js';
import {
  isLocked,
  isRaised,
  meaningOfError,
  OutcomeUnknown,
  toTransactionError,
} from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { LOCK_NOT_AVAILABLE, mayBeOutdated, UNIQUE_VIOLATION } from '../sqlstate.js';
import { RunAgain } from '../transactions/recorded-change.js';
import type { BatchTarget } from './batch-sender.js';
import { combineInserts } from './combine-inserts.js';
import { isolated, isolatedEnd, lockWaitOf, sharedLimits, tried } from './isolated-units.js';
import { isSlow, type Isolation } from './isolation.js';
import { BEGIN, COMMIT, NO_WAIT_MS, ownQuery, ROLLBACK } from './own-statements.js';
import { type FailedStatement, isBeforeCommit, PipelinedBatch } from './pipelined-batch.js';
import type { Companion, PendingQuery, Row } from './statement.js';
import { UnitTimes } from './unit-times.js';

const { waitMs, answerMs, renderMs } = DATABASE_LIMITS;

/** Isolated inserts that take longer cost a batch too much of its time. */
const SLOW_MS = answerMs / 2;

/** Long: to find it out again takes several round trips, and all of the batch run again. */
const ISOLATED_MS = 60_000;

/** As `StatementQueues` sets it for connections without a pooler. */
const IDLE_LIMIT = ownQuery(
  `SELECT set_config('idle_in_transaction_session_timeout', '${waitMs + answerMs}', true)`,
);

/** A probe shows what each insert takes, without waiting for locks. */
type RecordedMode = 'combined' | 'isolated' | 'probe';

export type RecordedTarget = BatchTarget & { readonly isolation: Isolation };

/** Why an insert failed alone. */
interface Refusal {
  error: DatabaseError;
  failed: FailedStatement;
  /** It would fail without the others, too. */
  isCertain: boolean;
}

/**
 * The transaction of a batch. Its exchanges with the server end within the time of any batch. It has callbacks because
 * with promises V8 kept whole requests until a major collection.
 */
export class RecordedBatch {
  private readonly companions: Companion[] = [];
  private readonly rows: Row[][] = [];
  /** One for each request. */
  private inserts: readonly PendingQuery[] = [];
  /** By the positions of their requests. */
  private readonly refusals = new Map<number, Refusal>();
  private state: 'inserting' | 'held' | 'committing' | 'trying' | 'rolling back' | 'ended' = 'inserting';
  private sent: PipelinedBatch | undefined;
  private isBroken = false;
  /** Why the other requests fail. */
  private outcome: Error | undefined;
  private readonly times: UnitTimes | undefined;
  private readonly startedAt = performance.now();
  private cancel = (): void => {};
  private renderTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly target: RecordedTarget,
    private readonly client: pg.PoolClient & RowParsingClient,
    private readonly queries: readonly PendingQuery[],
    private readonly mode: RecordedMode,
    /** Called at the end: the connection can be used again, or cannot. */
    private readonly done: (isUsable: boolean) => void,
  ) {
    if (this.isIsolated && target.probes) this.times = new UnitTimes(lockWaitOf(queries, this.lockMs));
  }

  private get isIsolated(): boolean {
    return this.mode !== 'combined';
  }

  /** Of all inserts together, if not as usual. */
  private get lockMs(): number | undefined {
    return this.mode === 'probe' ? NO_WAIT_MS : undefined;
  }

  start(): void {
    if (this.queries.length === 0) {
      this.done(true);
      return;
    }
    this.cancel = giveUpAfter(answerMs, () => this.giveUp());
    this.inserts = this.queries.map((query, i) => ({ ...query, resolve: (of) => void (this.rows[i] = of) }));
    const units = this.isIsolated
      ? isolated(this.beginFor(this.inserts.length, this.lockMs), this.inserts)
      : [[...this.beginFor(1), ...combineInserts(this.inserts, this.target.distribution)]];
    this.exchange(units, () => this.hold());
  }

  /** Of statements that share the limits of one. The connections of a pooler come without limits. */
  private beginFor(statements: number, ofLocks?: number): PendingQuery[] {
    const { named } = this.target;
    if (!this.hasLimits || (named && statements === 1 && ofLocks === undefined)) return [BEGIN];
    const limits = sharedLimits(statements, ofLocks);
    return named ? [BEGIN, limits] : [BEGIN, IDLE_LIMIT, limits];
  }

  private get hasLimits(): boolean {
    return !this.target.isEmbedded;
  }

  /** Lets the requests answer whose inserts succeeded. */
  private hold(): void {
    const firstKept = this.queries.findIndex((_, i) => !this.refusals.has(i));
    const ms = performance.now() - this.startedAt;
    // One that is refused makes it quicker, or slower.
    if (this.refusals.size === 0) {
      if (!this.isIsolated) this.target.probes?.combined(ms);
      else if (ms > SLOW_MS) this.target.isolation.end();
    }
    for (const [i, refusal] of this.refusals) refusal.isCertain = firstKept < 0 || i < firstKept;
    if (firstKept < 0) {
      this.rollBack();
      return;
    }
    this.state = 'held';
    this.renderTimer = setTimeout(() => this.fail(new RunAgain()), renderMs);
    const missing = this.queries.length - this.refusals.size;
    for (const [i, query] of this.queries.entries()) {
      if (this.refusals.has(i)) continue;
      query.hold?.(this.rows[i] ?? [], (companion) => {
        if (this.state !== 'held') return;
        if (!companion) {
          this.fail(new RunAgain());
          return;
        }
        this.companions.push(companion);
        if (this.companions.length === missing) this.commit();
      });
    }
  }

  private commit(): void {
    clearTimeout(this.renderTimer);
    this.state = 'committing';
    const end = this.isIsolated ? isolatedEnd(this.hasLimits) : [];
    const inserts = this.companions.map((companion) => ({ ...ownQuery(''), ...companion }));
    this.exchange([[...end, ...combineInserts(inserts, this.target.distribution), COMMIT]], () => {
      this.target.availability.recordCommit(this.startedAt);
      if (!this.isIsolated)
        this.target.size.answered(this.queries.length, performance.now() - this.startedAt);
      this.tryRefused();
    });
  }

  /** What an insert met beside others, it might not meet alone. Their requests need not wait for that. */
  private tryRefused(): void {
    const uncertain = this.inserts.filter((_, i) => {
      const refusal = this.refusals.get(i);
      return refusal && isOwn(refusal) && !refusal.isCertain;
    });
    if (uncertain.length === 0) {
      this.end(true);
      return;
    }
    this.state = 'trying';
    this.settle();
    this.exchange(tried(this.beginFor(uncertain.length), uncertain), () => this.end(true));
  }

  private fail(cause: unknown, failed?: FailedStatement): void {
    if (this.state === 'ended') return;
    clearTimeout(this.renderTimer);
    this.outcome ??= this.outcomeAfter(cause, failed);
    if (cause instanceof DatabaseError) this.countLock(cause, failed);
    // On a cluster, a new connection makes others to all nodes.
    const isUsable =
      cause instanceof RunAgain || (cause instanceof DatabaseError && concernsInsert(cause, failed));
    if (this.isBroken || !isUsable || this.state === 'rolling back') this.end(false);
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
    const isCommitting = this.state === 'committing';
    if (!(cause instanceof DatabaseError))
      return isCommitting ? new OutcomeUnknown({ cause }) : new RunAgain();
    const isRecord = isCommitting && failed !== undefined && isBeforeCommit(cause, failed);
    if (isCommitting && !isRecord) {
      const isUnknown = toTransactionError(cause, true) instanceof OutcomeUnknown;
      if (isUnknown && !this.isBroken) this.target.isolation.begin(ISOLATED_MS); // maybe a trigger said so
      if (this.isBroken || isUnknown) return new OutcomeUnknown({ cause });
    }
    // The next attempt looks records up.
    if (isRecord) return new RunAgain({ cause }, cause.code === UNIQUE_VIOLATION ? 'none' : 'unknown');
    const isFoundNext = !this.isIsolated && !this.isBroken && isIsolatable(cause);
    if (isFoundNext) this.target.isolation.begin(ISOLATED_MS);
    return new RunAgain({ cause }, isFoundNext ? 'none' : 'unknown');
  }

  private end(isUsable: boolean): void {
    this.state = 'ended';
    this.cancel();
    this.settle();
    const refusals = [...this.refusals.values()];
    const busy = refusals.find(({ error }) => meaningOfError(error) === 'busy');
    if (busy) this.countLock(busy.error, busy.failed);
    if (refusals.some(({ error }) => isIsolatable(error))) this.target.isolation.begin(ISOLATED_MS);
    for (const [i, refusal] of this.refusals) this.queries[i]?.reject(this.errorOf(refusal));
    this.done(isUsable && refusals.every(({ error, failed }) => concernsInsert(error, failed)));
  }

  /** The requests whose inserts were not refused. */
  private settle(): void {
    const { outcome } = this;
    for (const [i, { resolve, reject }] of this.queries.entries()) {
      if (this.refusals.has(i)) continue;
      if (outcome) reject(outcome);
      else resolve([]);
    }
  }

  private errorOf(refusal: Refusal): Error {
    const { error, isCertain } = refusal;
    if (isOwn(refusal) && isCertain) return error;
    // What all met, such as a locked table, is the fault of none. In a probe they have not waited for it yet.
    const haveWaited = this.mode !== 'probe' || !isLocked(error);
    const isForAll = haveWaited && this.queries.length > 1 && this.refusals.size === this.queries.length;
    return new RunAgain({ cause: error }, this.outcome || isForAll ? 'none' : 'own');
  }

  private exchange(units: PendingQuery[][], succeeded: () => void): void {
    let refusal: { error: DatabaseError; failed: FailedStatement | undefined } | undefined;
    const listener = {
      committed: (unit: readonly PendingQuery[], rows: Row[][]) =>
        unit.forEach((query, i) => query.resolve(rows[i] ?? [])),
      rolledBack: (unit: readonly PendingQuery[], error: DatabaseError, failed?: FailedStatement) => {
        if (isSlow(error)) this.target.probes?.tookTooLong();
        const position = this.positionOf(unit, failed);
        if (failed && position >= 0 && !refusal)
          this.refusals.set(position, { error, failed, isCertain: this.state === 'trying' });
        else refusal ??= { error, failed };
      },
    };
    const answered = (): void => {
      this.target.availability.recordResponse();
      this.compareTimes();
      if (refusal) this.fail(refusal.error, refusal.failed);
      else succeeded();
    };
    const seen = this.times?.of(listener) ?? listener;
    this.sent = new PipelinedBatch(units, this.target.named, seen, { answered, broken: this.broken });
    this.client.query(this.sent);
  }

  /** Those of the inserts. What follows has no effect. */
  private compareTimes(): void {
    if (this.times) this.target.probes?.compare(this.times);
  }

  /** Of the request whose insert failed alone, or -1. If the transaction were lost as well, what follows would fail, too. */
  private positionOf(unit: readonly PendingQuery[], failed?: FailedStatement): number {
    const at = unit.findIndex((query) => this.inserts.includes(query));
    const mayFailAlone = this.isIsolated || this.queries.length === 1;
    if (!mayFailAlone || !failed || at < 0 || failed.answered.length < at) return -1;
    return this.inserts.indexOf(unit[at] as PendingQuery);
  }

  private readonly broken = (cause: unknown): void => {
    if (this.state === 'ended') return;
    this.isBroken = true;
    this.target.size.lost();
    this.fail(cause instanceof Error ? cause : new Error('The batch was not answered.', { cause }));
  };

  /** A late answer would be taken for that of the next batch. */
  private giveUp(): void {
    if (this.state === 'inserting') {
      if (this.isIsolated) this.target.isolation.end();
      this.times?.lost(this.sent?.unanswered ?? []);
      this.compareTimes();
    }
    this.target.refusals.countLate('answer', this.queries[0]?.statement.name);
    this.client.abandon(this.sent?.unanswered.length ?? 0, () => this.broken(undefined));
  }
}

/** Such as a value, a lock or a full disk, unlike what concerns the connection or what it has prepared. */
function concernsInsert(error: DatabaseError, failed?: FailedStatement): boolean {
  return isOfStatement(error) && !(mayBeOutdated(error.code ?? '') && failed?.wasPrepared !== false);
}

function isOfStatement(error: DatabaseError): boolean {
  return ['own', 'busy', 'conflict'].includes(meaningOfError(error)) || Boolean(error.code?.startsWith('53'));
}

function isOwn({ error, failed }: Refusal): boolean {
  return meaningOfError(error) === 'own' && concernsInsert(error, failed);
}

/** Not timeouts: isolated inserts take longer still. */
function isIsolatable(error: DatabaseError): boolean {
  const isTimeout = meaningOfError(error) === 'busy' && error.code !== LOCK_NOT_AVAILABLE && !isRaised(error);
  const isOfValue = isOfStatement(error) || mayBeOutdated(error.code ?? '');
  return isOfValue && !isTimeout;
}
