import { DatabaseError, type PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { withTimeout } from '../../common/with-timeout.js';
import type { Availability } from '../availability.js';
import type { Companion } from '../batching/statement.js';
import {
  DatabaseBusy,
  DatabaseOutage,
  DatabaseRefusal,
  driverErrorOf,
  isConflict,
  OutcomeUnknown,
  toTransactionError,
} from '../database-errors.js';
import type { DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { insideTransaction } from './open-transaction.js';
import { RecordedChange, RunAgain } from './recorded-change.js';
import type { LateKind, RefusalLog } from '../refusal-log.js';

type Client = PoolClient & RowParsingClient;

const { waitMs, statementMs, answerMs, waitingTransactions: MOST_WAITING } = DATABASE_LIMITS;
const MOST_ATTEMPTS = 3;

/**
 * One message, so one round trip. The server itself ends the transaction of a replica that froze or is gone, which would
 * keep its row locks. The embedded engine enforces no timeout.
 */
const BEGIN = {
  server: `BEGIN; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${waitMs + answerMs}`,
  embedded: 'BEGIN',
} as const;

/** An open transaction: `transaction.withRepository(repository)` is the repository inside of it. */
export type Transaction = EntityManager;

/** Transactions of requests. They end within the time that a request may take. */
export class Transactions {
  private waiting = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connection: DatabaseConnection,
    private readonly availability: Availability,
    private readonly refusals: RefusalLog,
  ) {}

  /**
   * Commits what `work` did when it resolves, and rolls it back when it rejects. `work` runs again after a conflict with
   * another transaction, so it must change nothing but the database. In a request with an Idempotency-Key, the commit
   * waits for the answer, whose record it includes.
   */
  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const recorded = RecordedChange.ofCaller();
    if (!recorded) return this.runUntil(performance.now() + waitMs + answerMs, work);
    return recorded.hold<T>((hold) => {
      let isHeld = false;
      return this.runUntil(recorded.deadline, async (transaction) => {
        if (isHeld) throw new RunAgain(); // its rows were handed out
        const result = await work(transaction);
        isHeld = true;
        const companion = await new Promise<Companion | undefined>((commitWith) => hold(result, commitWith));
        if (!companion) throw new RunAgain();
        await transaction.query(companion.statement.text, [...companion.values]);
      });
    });
  }

  /** Says that there was no connection, of which there are as many as turns. */
  refuseForWantOfTurn(): Error {
    this.refusals.countLate('connection');
    return new DatabaseBusy();
  }

  private async runUntil<T>(deadline: number, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.availability.check();
      const transaction = new TimedTransaction(
        this.dataSource.createQueryRunner(),
        BEGIN[this.connection.kind],
        deadline,
      );
      try {
        await this.connect(transaction);
        return await transaction.run(work);
      } catch (thrown) {
        const error = driverErrorOf(thrown);
        if (attempt < MOST_ATTEMPTS && isConflict(error)) continue;
        const outcome = toTransactionError(error, transaction.isCommitting);
        const refusal = refusalOf(outcome);
        if (refusal) this.refusals.count(refusal);
        else if (isOverdue(error)) this.refusals.countLate('answer');
        else if (isLate(outcome)) this.refusals.countLate(transaction.late);
        throw outcome;
      }
    }
  }

  private async connect(transaction: TimedTransaction): Promise<void> {
    if (this.waiting >= MOST_WAITING) throw new DatabaseBusy();
    this.waiting++;
    await transaction.connect().finally(() => this.waiting--);
  }
}

function isOverdue(error: unknown): boolean {
  return (
    error instanceof Error && (error instanceof OutcomeUnknown || error.message === 'Query read timeout')
  );
}

function isLate(outcome: unknown): boolean {
  return outcome instanceof DatabaseBusy && outcome.cause === undefined;
}

function refusalOf(outcome: unknown): DatabaseError | undefined {
  if (!(outcome instanceof DatabaseRefusal || outcome instanceof DatabaseBusy)) return undefined;
  const { cause } = outcome;
  return cause instanceof DatabaseError && !isConflict(cause) ? cause : undefined;
}

/** The state of a query runner of TypeORM, for which a nested transaction is a savepoint. */
const BEGUN = { isTransactionActive: true, transactionDepth: 1 };

/** One attempt. */
class TimedTransaction {
  /** Whether the outcome depends on the answer to COMMIT. */
  isCommitting = false;
  /** What takes too long, if something does. */
  late: LateKind = 'connection';
  private client!: PoolClient;

  constructor(
    private readonly runner: QueryRunner,
    private readonly begin: string,
    private readonly deadline: number,
  ) {}

  async connect(): Promise<void> {
    const connecting = this.runner.connect() as Promise<PoolClient>;
    const mostMs = this.atMost(waitMs);
    if (mostMs < waitMs) this.late = 'transaction'; // an attempt before took the time
    this.client = await withTimeout(connecting, mostMs, () => {
      connecting.then(
        () => this.runner.release(),
        () => {},
      );
      throw new DatabaseBusy();
    });
    this.late = 'transaction';
    // With less time, a statement that waits for a lock would be abandoned, and the pool would refuse those of others.
    if (this.atMost(answerMs) > statementMs) return;
    await this.runner.release();
    throw new DatabaseBusy();
  }

  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { client } = this;
    try {
      return await withTimeout(this.perform(work, client), this.atMost(answerMs), () => this.giveUp(client));
    } finally {
      await this.runner.release();
    }
  }

  private async perform<T>(work: (transaction: Transaction) => Promise<T>, client: PoolClient): Promise<T> {
    const { runner } = this;
    try {
      await client.query(this.begin);
      Object.assign(runner, BEGUN);
      const result = await insideTransaction(() => work(runner.manager));
      await this.commit(client);
      return result;
    } catch (error) {
      await this.rollBack(client);
      throw error;
    }
  }

  /** Its connection must not go to others while it is in a failed transaction. */
  private async rollBack(client: PoolClient): Promise<void> {
    if (this.runner.isReleased) return;
    await client.query('ROLLBACK').catch(() => this.abandon(client));
  }

  /** Not by TypeORM: after a failed statement PostgreSQL answers COMMIT with a rollback, and no error. */
  private async commit(client: PoolClient): Promise<void> {
    if (this.runner.isReleased) throw new DatabaseOutage(); // the connection broke
    this.isCommitting = true;
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction failed and its error was caught. Let the work fail.');
  }

  private atMost(ms: number): number {
    return Math.max(1, Math.min(ms, this.deadline - performance.now()));
  }

  /** The server rolls back when the connection closes, unless it has received COMMIT. */
  private async giveUp(client: PoolClient): Promise<never> {
    await this.abandon(client);
    throw this.isCommitting ? new OutcomeUnknown() : new DatabaseBusy();
  }

  private abandon(client: PoolClient): Promise<void> {
    return new Promise((resolve) => (client as Client).abandon(1, resolve));
  }
}
