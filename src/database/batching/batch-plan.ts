import type { DatabaseError } from 'pg';
import {
  DatabaseBusy,
  DatabaseOutage,
  meaningOfError,
  OutcomeUnknown,
  toRefusal,
} from '../database-errors.js';
import type { Distribution } from '../distribution.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RefusalLog } from '../refusal-log.js';
import { IN_FAILED_TRANSACTION, LOCK_NOT_AVAILABLE, mayBeOutdated, type Meaning } from '../sqlstate.js';
import { combineInserts, separateInserts } from './combine-inserts.js';
import { type Combining, mayConcernAll } from './combining.js';
import {
  BEGIN,
  CHECK_CONSTRAINTS,
  COMMIT,
  isCallerQuery,
  LIMITS,
  LIMITS_WHEN_LOCKED,
  NO_WAIT,
  ROLLBACK,
} from './own-statements.js';
import { type FailedStatement, isBeforeCommit, type TransactionListener } from './pipelined-batch.js';
import type { RecentLock } from './recent-lock.js';
import { lateAt, type PendingQuery, type Row } from './statement.js';

const { batch } = DATABASE_LIMITS;

export interface BatchRules {
  readonly kind: 'read' | 'write';
  /** Whether a connection keeps named prepared statements. */
  readonly named: boolean;
  readonly refusals: Pick<RefusalLog, 'count' | 'countLate' | 'countUncombined'>;
  readonly locks: RecentLock;
  readonly combining: Combining;
  readonly distribution?: Distribution | undefined;
}

/** What is logged, unlike conflicts and statements at fault. */
const REFUSALS = new Set<Meaning>(['outage', 'schema', 'busy']);

/** Enough for every mode, a new connection or new statements, and a conflict. */
const MOST_ATTEMPTS = 7;

/**
 * - `combined`: one transaction, one commit. The normal case.
 * - `dry-run`: each query in a transaction that is rolled back, which finds the faulty ones without a commit per query.
 * - `uncombined`: one transaction with a statement for each query. Behind poolers, that tells the first faulty one.
 * - `separate`: each query in a transaction of its own.
 */
type Mode = 'combined' | 'dry-run' | 'uncombined' | 'separate';

/**
 * Retry and fault-isolation policy of a batch. After an error in a combined write, a dry run finds the faulty queries,
 * and the others are combined again, or sent uncombined if that is in vain. Writes that even so only fail next to each
 * other are separated, and so are the reads from a faulty one on. Behind poolers, where each transaction would take a
 * round trip, the faulty ones are found one after another instead. So an error reaches its own query only, within a few
 * attempts.
 */
export class BatchPlan implements TransactionListener {
  needsNewConnection = false;
  needsNewStatements = false;
  /** A new one helps against what a session keeps. If a row is the cause it does not, and each batch would get one. */
  hasOldConnection = false;
  private hasNewConnection = false;
  private hasNewStatements = false;
  private attempts = 0;
  private mode: Mode = 'combined';
  /** Why inserts cannot be combined, as other batches found out. */
  private readonly known: DatabaseError | undefined;
  /** Why those left cannot be combined, unless one of them is faulty. */
  private failure: DatabaseError | undefined;
  private hasRefused = false;
  /** Some query of a combined transaction is faulty, and it is not known which. */
  private hasUnknownFault = false;
  private dryRunEnded = false;
  private retries: PendingQuery[] = [];

  constructor(private readonly rules: BatchRules) {
    this.known = rules.combining.failure;
    this.failure = this.known;
    if (this.known) this.mode = 'uncombined';
  }

  /** The transactions of the next attempt. */
  transactionsOf(queries: PendingQuery[]): PendingQuery[][] {
    this.attempts++;
    const most = this.most();
    const transactions = this.inMode(queries.slice(0, most));
    this.retries = queries.slice(most);
    const settings = this.settings();
    if (!settings) return transactions;
    return transactions.map((transaction) =>
      transaction[0] === ROLLBACK ? transaction : [settings, ...transaction],
    );
  }

  private most(): number {
    if (this.rules.named) return Infinity;
    // PgBouncer 1.18 drops a connection that pipelines transactions.
    if (this.mode === 'separate') return 1;
    return this.mode === 'uncombined' ? batch : Infinity;
  }

  /** Whether nothing had to be sent again. */
  get isSmooth(): boolean {
    return this.attempts === 1 && this.retries.length === 0 && !this.hasRefused;
  }

  private settings(): PendingQuery | undefined {
    const { named, locks } = this.rules;
    // The connections of a pooler come without our limits.
    if (!named) return locks.isRecent ? LIMITS_WHEN_LOCKED : LIMITS;
    return locks.isRecent ? NO_WAIT : undefined;
  }

  private inMode(queries: PendingQuery[]): PendingQuery[][] {
    if (this.mode === 'separate') return queries.map((query) => [query]);
    // PostgreSQL skips to the next Sync after an error, so the rollback follows that Sync.
    if (this.mode === 'dry-run')
      return queries.flatMap((query) => [[BEGIN, query, CHECK_CONSTRAINTS], [ROLLBACK]]);
    const { kind, distribution } = this.rules;
    if (kind === 'read') return [queries];
    const writes = this.mode === 'uncombined' ? queries : combineInserts(queries, distribution);
    // Nodes commit each statement at once, unless there is a BEGIN.
    return distribution && writes.length > 1 ? [[BEGIN, ...writes, COMMIT], [ROLLBACK]] : [writes];
  }

  committed(transaction: readonly PendingQuery[], rows: Row[][]): void {
    if (this.mode === 'dry-run') {
      this.retries.push(...transaction.filter(isCallerQuery));
      return;
    }
    resolveAll(transaction, rows);
    this.gotFurther();
  }

  /** Without names, a transaction is an attempt, and settles some of the queries. */
  private gotFurther(): void {
    if (!this.rules.named && this.retries.length > 0) this.attempts--;
  }

  private noteFailure(): void {
    const { combining, refusals } = this.rules;
    if (!this.failure) return;
    refusals.countUncombined(this.failure);
    if (!this.known) combining.failed(this.failure);
  }

  rolledBack(transaction: readonly PendingQuery[], error: DatabaseError, failed?: FailedStatement): void {
    const meaning = meaningOfError(error);
    if (error.code === LOCK_NOT_AVAILABLE && !this.rules.locks.isRecent) this.rules.locks.note();
    if (this.mayBeStored(error, meaning, failed)) {
      this.lost([transaction], error);
      return;
    }
    const { kind, named } = this.rules;
    const isOfOne = failed !== undefined && isCallerQuery(failed.query) && meaning !== 'conflict';
    const answered = isOfOne && kind === 'read' ? failed.answered : [];
    resolveAll(transaction.slice(0, answered.length), answered);
    const queries = separateInserts(transaction.slice(answered.length)).filter(isCallerQuery);
    const mayBeOfSession = failed !== undefined && mayBeOutdated(error.code ?? '');
    const isSpoiled = meaning === 'stale' || error.code === IN_FAILED_TRANSACTION;
    const isStale = !this.hasNewConnection && (isSpoiled || (mayBeOfSession && this.hasOldConnection));
    const isOutdated = !isStale && !this.hasNewStatements && mayBeOfSession && failed.wasPrepared;
    const isFound = isOfOne && !named && (kind === 'read' || this.mode === 'uncombined');
    const isKnown = isFound || queries.length === 1;
    const isRollback = queries.length === 0; // such as one that was cancelled
    this.needsNewConnection ||= isStale || isRollback;
    this.needsNewStatements ||= isOutdated;
    const mayTell = this.mode === 'combined' && kind === 'write' && !this.rules.distribution;
    this.failure = mayTell && mayConcernAll(error) ? error : undefined;
    if (this.attempts < MOST_ATTEMPTS && (isStale || isOutdated || !isKnown || meaning === 'conflict')) {
      this.retries.push(...queries);
      this.hasUnknownFault ||= !isStale && !(isOutdated && kind === 'write');
      return;
    }
    const faulty = isFound ? [failed.query] : queries;
    if (REFUSALS.has(meaning)) this.rules.refusals.count(error, faulty[0]?.statement.name);
    rejectAll(faulty, toRefusal(error));
    this.hasRefused = true;
    this.retries.unshift(...queries.filter((query) => !faulty.includes(query)));
    this.gotFurther();
  }

  private mayBeStored(error: DatabaseError, meaning: Meaning, failed?: FailedStatement): boolean {
    const { kind, distribution } = this.rules;
    if (distribution) return kind === 'write' && distribution.mayBeStored(error);
    // Such as in a trigger that asks another server.
    return meaning === 'unknown' && !isBeforeCommit(error, failed);
  }

  /** No answer came, without a cause not in time: a write may or may not have been committed. */
  lost(transactions: readonly (readonly PendingQuery[])[], cause: unknown): void {
    const error =
      this.rules.kind === 'write' ? new OutcomeUnknown({ cause }) : new DatabaseOutage(undefined, { cause });
    this.failure = undefined;
    if (cause === undefined)
      this.rules.refusals.countLate('answer', transactions[0]?.find(isCallerQuery)?.statement.name);
    for (const transaction of transactions) rejectAll(transaction, error);
  }

  connectionReplaced(): void {
    this.needsNewConnection = false;
    this.hasNewConnection = true;
    this.needsNewStatements = false;
  }

  statementsForgotten(): void {
    this.needsNewStatements = false;
    this.hasNewStatements = true;
  }

  /** The queries of the next attempt. Rejects those that have waited for too long. */
  takeRetries(): PendingQuery[] {
    const isLate = lateAt(performance.now());
    const queries = this.retries.filter((query) => !isLate(query));
    if (queries.length < this.retries.length) rejectAll(this.retries.filter(isLate), new DatabaseBusy());
    this.retries = [];
    const { mode } = this;
    this.mode = this.nextMode();
    const isTold = mode === 'uncombined' || this.dryRunEnded;
    // Also if others were late: each batch would find it out as late.
    if (queries.length === 0 && isTold && this.mode === 'uncombined') this.noteFailure();
    this.hasUnknownFault = false;
    return queries;
  }

  private nextMode(): Mode {
    const { kind, named } = this.rules;
    const wasDryRun = this.mode === 'dry-run';
    this.dryRunEnded ||= wasDryRun;
    if (!wasDryRun && !this.hasUnknownFault) return this.mode;
    // The dry run has found the faulty ones.
    if (this.dryRunEnded && this.failure) return 'uncombined';
    if (wasDryRun) return 'combined';
    if (kind === 'read' || this.dryRunEnded || this.mode !== 'combined') return 'separate';
    return named ? 'dry-run' : 'uncombined';
  }
}

function resolveAll(queries: readonly PendingQuery[], rows: readonly Row[][]): void {
  queries.forEach(({ resolve }, i) => resolve(rows[i] ?? []));
}

function rejectAll(queries: readonly PendingQuery[], error: Error): void {
  for (const { reject } of queries) reject(error);
}
