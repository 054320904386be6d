import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { withTimeout } from '../../common/with-timeout.js';
import { Availability } from '../availability.js';
import {
  DatabaseBusy,
  driverErrorOf,
  isConflict,
  OutcomeUnknown,
  toTransactionError,
} from '../database-errors.js';
import { destroyConnection } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { readSockets } from '../server/read-sockets.js';

const { waitMs, statementMs, answerMs } = DATABASE_LIMITS;
const MOST_ATTEMPTS = 3;

/** An open transaction: `transaction.withRepository(repository)` is the repository inside of it. */
export type Transaction = EntityManager;

/** Transactions of requests. They end within the time that a request may take. */
@Injectable()
export class Transactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly availability: Availability,
  ) {}

  /**
   * Commits what `work` did when it resolves, and rolls it back when it rejects. `work` runs again after a conflict with
   * another transaction, so it must change nothing but the database.
   */
  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      this.availability.check();
      const transaction = new TimedTransaction(this.dataSource.createQueryRunner());
      try {
        return await transaction.run(work);
      } catch (thrown) {
        const error = driverErrorOf(thrown);
        const mayRetry = attempt < MOST_ATTEMPTS && performance.now() - begun < waitMs;
        if (!mayRetry || !isConflict(error)) throw toTransactionError(error, transaction.isCommitting);
      }
    }
  }
}

/** One attempt. */
class TimedTransaction {
  /** Whether the outcome depends on the answer to COMMIT. */
  isCommitting = false;
  private hasEnded = false;

  constructor(private readonly runner: QueryRunner) {}

  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.connect();
    const outcome = this.runner.manager.transaction(async (transaction) => {
      await transaction.query(`SET LOCAL statement_timeout = ${statementMs}`);
      const result = await work(transaction);
      requireIntact(client);
      this.isCommitting = true;
      return result;
    });
    try {
      return await withTimeout(outcome, answerMs, () => this.giveUp(client));
    } finally {
      this.hasEnded = true;
      await this.runner.release();
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    const connecting = this.runner.connect() as Promise<pg.PoolClient>;
    return withTimeout(connecting, waitMs, () => {
      connecting.then(
        () => this.runner.release(),
        () => {},
      );
      throw new DatabaseBusy();
    });
  }

  /** The server rolls back when the connection closes, unless it has received COMMIT. */
  private async giveUp(client: pg.PoolClient): Promise<never> {
    await readSockets();
    if (!this.hasEnded) await new Promise<void>((closed) => destroyConnection(client, closed));
    throw this.isCommitting ? new OutcomeUnknown() : new DatabaseBusy();
  }
}

/** PostgreSQL answers COMMIT with a rollback, and no error, if a statement had failed and `work` ignored that. */
function requireIntact(client: pg.PoolClient): void {
  if (client.getTransactionStatus() !== 'E') return;
  throw new Error(
    'A statement of the transaction failed and its error was caught: let the transaction fail.',
  );
}
