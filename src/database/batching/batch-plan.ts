import type { DatabaseError } from 'pg';
import {
  DatabaseBusy,
  DatabaseOutage,
  isLocked,
  isRaised,
  meaningOfError,
  OutcomeUnknown,
  toRefusal,
} from '../database-errors.js';
import type { Distribution } from '../distribution.js';
import type { RefusalLog } from '../refusal-log.js';
import { IN_FAILED_TRANSACTION, mayBeOutdated, type Meaning } from '../sqlstate.js';
import { combineInserts, separateInserts } from './combine-inserts.js';
import { isolated, isolatedEnd, lockWaitOf, measuredReads, sharedLimits } from './isolated-units.js';
import { Findings, isSlow, type Isolation } from './isolation.js';
import {
  BEGIN,
  COMMIT,
  isCallerQuery,
  LIMITS,
  LIMITS_WHEN_LOCKED,
  NO_WAIT,
  NO_WAIT_MS,
  ROLLBACK,
} from './own-statements.js';
import { type FailedStatement, isBeforeCommit, type TransactionListener } from './pipelined-batch.js';
import { isKnownAsSlow } from './owners.js';
import type { Probes } from './probes.js';
import type { RecentLock } from './recent-lock.js';
import { lateAt, type PendingQuery, type Row } from './statement.js';

export interface BatchRules {
  readonly kind: 'read' | 'write';
  /** Whether a connection keeps named prepared statements. */
  readonly named: boolean;
  /** The embedded engine has no working time limits. */
  readonly isEmbedded?: boolean;
  readonly refusals: Pick<RefusalLog, 'count' | 'countLate' | 'countUncombined'>;
  readonly locks: RecentLock;
  /** Of writes. */
  readonly isolation?: Isolation | undefined;
  readonly probes?: Probes | undefined;
  readonly distribution?: Distribution | undefined;
  /**
   * Takes over an insert that met a lock, to wait for it where it delays no others, and maybe further ones of its owner.
   * Returns whether it did.
   */
  readonly letWait?: (query: PendingQuery, isOfOwner: boolean) => boolean;
  /** Takes over a query of an owner who was found to be slow. Returns whether it did. */
  readonly moveApart?: (query: PendingQuery) => boolean;
}

/** What is logged, unlike conflicts and statements at fault. */
const REFUSALS = new Set<Meaning>(['outage', 'schema', 'busy']);

/** Enough for every mode, a new connection or new statements, and a conflict. */
const MOST_ATTEMPTS = 7;

/** The second one finds out whether those that failed behind others also fail without these. */
const MOST_ISOLATIONS = 2;

/**
 * - `combined`: one transaction, one commit. The normal case.
 * - `isolated`: one transaction with a savepoint in front of each query, so that one that fails does so alone.
 * - `separate`: each query in a transaction of its own.
 */
type Mode = 'combined' | 'isolated' | 'separate';

/** What an isolated query, with the statements around it, returned before the commit. */
interface Kept {
  readonly unit: readonly PendingQuery[];
  readonly rows: Row[][];
}

/**
 * Retry and fault-isolation policy of a batch. After an error in a combined write, its queries are isolated, and those
 * that fail although none is kept before them are faulty. The others that failed are isolated once more, without those
 * that are stored by then. Writes that even so only fail next to each other are separated, and so are the reads from a
 * faulty one on. Behind poolers, where separate transactions take a round trip each, reads are isolated as well. So an
 * error reaches its own query only, within a few attempts.
 */
export class BatchPlan implements TransactionListener {
  needsNewConnection = false;
  needsNewStatements = false;
  /** Whether the last attempt changed something. */
  hasCommitted = false;
  /** How many queries it may have, if not as many as usual. */
  readonly most: number | undefined;
  /** How long each insert of an isolation may wait for locks. */
  lockWait = lockWaitOf([]);
  /** Those that were cancelled, where inserts are measured. */
  private readonly cancelled = new Set<PendingQuery>();
  /** A new one helps against what a session keeps. If a row is the cause it does not, and each batch would get one. */
  hasOldConnection = false;
  private hasNewConnection = false;
  private hasNewStatements = false;
  private attempts = 0;
  private isolations = 0;
  private isShared = false;
  private mode: Mode = 'combined';
  private kept: Kept[] = [];
  private readonly findings: Findings;
  private hasRefused = false;
  /** Some query is faulty, or fails beside others, and it is not known which. */
  private hasUnknownFault = false;
  private retries: PendingQuery[] = [];

  constructor(private readonly rules: BatchRules) {
    const { isolation, probes, refusals } = rules;
    this.most = probes?.most;
    this.findings = new Findings(this.isMeasured ? undefined : isolation, refusals);
    if (this.isMeasured || isolation?.isOn) this.mode = 'isolated';
  }

  /** The transactions of the next attempt, or the units of one. */
  transactionsOf(queries: PendingQuery[]): PendingQuery[][] {
    this.attempts++;
    this.hasCommitted = false;
    this.findings.attempted();
    this.isShared = queries.length > 1;
    if (this.mode === 'isolated' && !this.isShared && this.attempts > 1) this.mode = 'separate';
    if (this.mode === 'isolated') return this.isolate(queries);
    // PgBouncer 1.18 drops a connection that pipelines transactions.
    const most = this.mode === 'separate' && !this.rules.named ? 1 : Infinity;
    this.retries = queries.slice(most);
    const transactions = this.inMode(queries.slice(0, most));
    const settings = this.settings();
    if (!settings) return transactions;
    return transactions.map((transaction) =>
      transaction[0] === ROLLBACK ? transaction : [settings, ...transaction],
    );
  }

  private isolate(queries: PendingQuery[]): PendingQuery[][] {
    this.isolations++;
    const { kind, locks, isEmbedded = false } = this.rules;
    const settings = this.settings();
    if (kind === 'read') {
      this.lockWait = () => 0; // all wait for that of a table
      const ofAll = this.isMeasured
        ? sharedLimits(queries.length, locks.isRecent ? NO_WAIT_MS : undefined)
        : settings;
      return measuredReads(ofAll ? [BEGIN, ofAll] : [BEGIN], queries);
    }
    const ofLocks = this.waitsForLocks && !locks.isRecent ? undefined : NO_WAIT_MS;
    const limits = isEmbedded ? [] : [sharedLimits(queries.length, ofLocks)];
    this.lockWait = lockWaitOf(queries, ofLocks);
    return [...isolated([BEGIN, ...limits], queries), [...isolatedEnd(!isEmbedded), COMMIT]];
  }

  /** Whether its time tells how many statements a batch may have. */
  get isSmooth(): boolean {
    if (this.attempts > 1 || this.isMeasured) return false;
    return this.mode === 'isolated' || (this.retries.length === 0 && !this.hasRefused);
  }

  /** Whether the times of its queries can be compared: a further isolation has only those that failed. */
  get isComparison(): boolean {
    return this.mode === 'isolated' && this.isolations === 1;
  }

  get wasCombined(): boolean {
    return this.mode === 'combined' && this.isSmooth;
  }

  private settings(): PendingQuery | undefined {
    const { named, locks } = this.rules;
    // The connections of a pooler come without our limits.
    if (!named) return locks.isRecent ? LIMITS_WHEN_LOCKED : LIMITS;
    return locks.isRecent ? NO_WAIT : undefined;
  }

  private inMode(queries: PendingQuery[]): PendingQuery[][] {
    if (this.mode === 'separate') return queries.map((query) => [query]);
    const { kind, distribution } = this.rules;
    if (kind === 'read') return [queries];
    const writes = combineInserts(queries, distribution);
    // Nodes commit each statement at once, unless there is a BEGIN.
    return distribution && writes.length > 1 ? [[BEGIN, ...writes, COMMIT], [ROLLBACK]] : [writes];
  }

  committed(transaction: readonly PendingQuery[], rows: Row[][]): void {
    if (this.mode === 'isolated' && this.rules.kind === 'write') this.keep(transaction, rows);
    else {
      this.hasCommitted ||= this.rules.kind === 'write' && transaction[0] !== ROLLBACK;
      resolveAll(transaction, rows);
    }
    this.gotFurther();
  }

  private keep(unit: readonly PendingQuery[], rows: Row[][]): void {
    if (isBegin(unit)) return;
    this.kept.push({ unit, rows });
    if (!isEnd(unit)) return;
    this.findings.isolated();
    this.hasCommitted ||= this.kept.length > 1;
    for (const { unit, rows } of this.takeKept()) resolveAll(unit, rows);
  }

  private takeKept(): Kept[] {
    const { kept } = this;
    this.kept = [];
    return kept;
  }

  /** Without names, a separate transaction is an attempt, and settles one of the queries. */
  private gotFurther(): void {
    if (!this.rules.named && this.mode === 'separate' && this.retries.length > 0) this.attempts--;
  }

  rolledBack(transaction: readonly PendingQuery[], error: DatabaseError, failed?: FailedStatement): void {
    const meaning = meaningOfError(error);
    const { kind, named, locks } = this.rules;
    const isIsolated = this.mode === 'isolated';
    const isIsolatedEnd = isIsolated && isEnd(transaction);
    // The first isolated statements wait for a moment each.
    const mayWait = kind === 'read' || this.waitsForLocks;
    const hasWaited = !isIsolated || (mayWait && (!this.isShared || this.isolations > 1));
    const hasMetLock = isLocked(error);
    if (hasMetLock && hasWaited && !locks.isRecent) locks.note();
    const undone = isIsolatedEnd ? this.takeKept().flatMap(({ unit }) => unit) : transaction;
    if (isIsolatedEnd && failed?.query === COMMIT) this.isolations = MOST_ISOLATIONS; // it would fail again
    if (this.mayBeStored(error, meaning, failed)) {
      this.unknown([undone], error);
      this.gotFurther();
      return;
    }
    const isConflict = meaning === 'conflict' && !isRaised(error);
    const isOfOne = failed !== undefined && isCallerQuery(failed.query) && !isConflict;
    const answered = isOfOne && kind === 'read' ? failed.answered : [];
    resolveAll(undone.slice(0, answered.length), answered);
    const queries = separateInserts(undone.slice(answered.length)).filter(isCallerQuery);
    const mayBeOfSession = failed !== undefined && mayBeOutdated(error.code ?? '') && !isRaised(error);
    const isSpoiled = (meaning === 'stale' || error.code === IN_FAILED_TRANSACTION) && !isRaised(error);
    const isStale = !this.hasNewConnection && (isSpoiled || (mayBeOfSession && this.hasOldConnection));
    const isOutdated = !isStale && !this.hasNewStatements && mayBeOfSession && failed.wasPrepared;
    const isFound = isOfOne && !named && kind === 'read';
    const isKnown = isIsolated ? this.isAtFault(transaction, error, failed) : isFound || queries.length === 1;
    const isRollback = queries.length === 0; // such as one that was cancelled
    // An isolated transaction ends only with its COMMIT, even if that fails.
    this.needsNewConnection ||= isStale || isRollback || (isIsolatedEnd && failed?.query !== COMMIT);
    this.needsNewStatements ||= isOutdated;
    if (isIsolated) this.findings.isolatedFailed(error);
    else if (this.mode === 'combined') this.findings.combinedFailed(error);
    if (isSlow(error)) this.tookTooLong(queries);
    if (hasMetLock && !isIsolatedEnd && this.letWait(queries)) {
      this.hasRefused = true; // its time tells nothing about batches
      this.gotFurther();
      return;
    }
    if (this.attempts < MOST_ATTEMPTS && (isStale || isOutdated || !isKnown || isConflict)) {
      this.retries.push(...queries);
      this.hasUnknownFault ||= !isStale && !(isOutdated && kind === 'write');
      return;
    }
    const faulty = isFound ? [failed.query] : queries;
    if (REFUSALS.has(meaning)) this.rules.refusals.count(error, faulty[0]?.statement.name);
    rejectAll(faulty, toRefusal(error));
    this.hasRefused = true;
    this.hasUnknownFault ||= isFound; // one seldom comes alone
    this.retries.unshift(...queries.filter((query) => !faulty.includes(query)));
    this.gotFurther();
  }

  /** Whether an isolated query would also fail without the others. With more time, it might not be too slow. */
  private isAtFault(unit: readonly PendingQuery[], error: DatabaseError, failed?: FailedStatement): boolean {
    const at = unit.findIndex(isCallerQuery);
    const isOfQuery = at >= 0 && failed !== undefined && failed.answered.length >= at;
    const mayNeedTime = this.isShared && meaningOfError(error) === 'busy' && !isRaised(error);
    if (this.rules.kind === 'read') return isOfQuery && !(mayNeedTime && this.isMeasured);
    return isOfQuery && this.kept.length === 0 && !mayNeedTime;
  }

  /** If others are kept, it is a lock that not all inserts meet. Without others, that is not known. */
  private letWait([query, ...others]: readonly PendingQuery[]): boolean {
    if (!query || others.length > 0 || lateAt(performance.now())(query)) return false;
    return this.rules.letWait?.(query, this.kept.length > 0 || !this.isShared) ?? false;
  }

  /** What waits for a lock in a probe would be taken for slow. */
  private get waitsForLocks(): boolean {
    return !this.isMeasured || this.rules.probes?.areOfParty === true;
  }

  private get isMeasured(): boolean {
    return this.most !== undefined;
  }

  private tookTooLong(queries: readonly PendingQuery[]): void {
    this.rules.probes?.tookTooLong();
    if (this.isMeasured) for (const query of queries) this.cancelled.add(query);
  }

  /** Once it is known to be slow, in comparison with others, it would delay these once more. */
  private isSetApart(query: PendingQuery): boolean {
    const { probes } = this.rules;
    return this.cancelled.has(query) && !probes?.areOfParty && isKnownAsSlow(query.owner);
  }

  private mayBeStored(error: DatabaseError, meaning: Meaning, failed?: FailedStatement): boolean {
    const { kind, distribution } = this.rules;
    if (kind === 'write' && this.mode === 'isolated' && (!failed || isLostCommit(meaning, failed)))
      return true;
    if (distribution) return kind === 'write' && distribution.mayBeStored(error);
    // Such as in a trigger that asks another server.
    return meaning === 'unknown' && !isBeforeCommit(error, failed);
  }

  /** No answer came, without a cause not in time: a write may or may not have been committed. */
  lost(transactions: readonly (readonly PendingQuery[])[], cause: unknown): void {
    const unanswered = [...this.takeKept().map(({ unit }) => unit), ...transactions];
    if (this.mode === 'isolated') this.rules.isolation?.end();
    if (cause === undefined)
      this.rules.refusals.countLate('answer', unanswered.flat().find(isCallerQuery)?.statement.name);
    this.unknown(unanswered, cause);
  }

  private unknown(transactions: readonly (readonly PendingQuery[])[], cause: unknown): void {
    const error =
      this.rules.kind === 'write' ? new OutcomeUnknown({ cause }) : new DatabaseOutage(undefined, { cause });
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
    const isGivenUp = (query: PendingQuery): boolean => isLate(query) || this.isSetApart(query);
    const queries = this.cancelledLast(this.retries.filter((query) => !isGivenUp(query)));
    if (queries.length < this.retries.length) {
      const isMoved = (query: PendingQuery): boolean =>
        !isLate(query) && this.rules.moveApart?.(query) === true;
      const refused = this.retries.filter((query) => isGivenUp(query) && !isMoved(query));
      rejectAll(refused, new DatabaseBusy());
      this.findings.someGivenUp();
    }
    this.retries = [];
    const next = this.nextMode();
    if (this.mode === 'combined' && next === 'isolated') this.findings.isolate();
    this.mode = next;
    this.hasUnknownFault = false;
    return queries;
  }

  /** What fails a transaction again keeps the rows in front of it. */
  private cancelledLast(queries: PendingQuery[]): PendingQuery[] {
    const { cancelled } = this;
    if (cancelled.size === 0 || this.rules.kind === 'write') return queries;
    return queries.toSorted((one, other) => Number(cancelled.has(one)) - Number(cancelled.has(other)));
  }

  private nextMode(): Mode {
    if (!this.hasUnknownFault) return this.mode;
    const { kind, named } = this.rules;
    if (kind === 'read' && this.isMeasured && this.mode === 'isolated') return 'combined'; // with more time
    // Transactions of reads cost less than savepoints, where they can be pipelined.
    const most = kind === 'write' ? MOST_ISOLATIONS : Number(!named);
    return this.mode !== 'separate' && this.isolations < most ? 'isolated' : 'separate';
  }
}

/** Such as a server that stops. Only a pooler answers on. */
function isLostCommit(meaning: Meaning, { query }: FailedStatement): boolean {
  return query === COMMIT && meaning === 'outage';
}

/** Whether it is what commits isolated queries. */
function isEnd(unit: readonly PendingQuery[]): boolean {
  return unit.at(-1) === COMMIT;
}

function isBegin(unit: readonly PendingQuery[]): boolean {
  return unit[0] === BEGIN;
}

function resolveAll(queries: readonly PendingQuery[], rows: readonly Row[][]): void {
  queries.forEach(({ resolve }, i) => resolve(rows[i] ?? []));
}

function rejectAll(queries: readonly PendingQuery[], error: Error): void {
  for (const { reject } of queries) reject(error);
}
