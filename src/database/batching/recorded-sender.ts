import type pg from 'pg';
import type { DatabaseError } from 'pg';
import { withTimeout } from '../../common/with-timeout.js';
import { constraintOf, OutcomeUnknown, toTransactionError } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { RowParsingClient } from '../pg-driver.js';
import { readSockets } from '../server/read-sockets.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { BEGIN, COMMIT, ownQuery, ROLLBACK, LIMITS } from './batch-plan.js';
import type { BatchTarget } from './batch-sender.js';
import { combineInserts } from './combine-inserts.js';
import { PipelinedBatch } from './pipelined-batch.js';
import type { Companion, PendingQuery, Row } from './statement.js';

const { waitMs, answerMs, renderMs } = DATABASE_LIMITS;

type Client = pg.PoolClient & RowParsingClient;

/** The server itself ends the transaction of a replica that freezes before it commits. */
const IDLE_LIMIT = ownQuery(
  `SELECT set_config('idle_in_transaction_session_timeout', '${waitMs + answerMs}', true)`,
);

/**
 * Sends a batch of inserts whose requests answer before the commit: first the inserts, then their companions and the
 * commit. Whatever goes wrong, all of them are rolled back, and each request runs again.
 */
export class RecordedSender {
  constructor(
    private readonly target: BatchTarget,
    /** Called at the end, with an error if there was no connection. */
    private readonly done: (error?: Error) => void,
  ) {}

  start(take: () => PendingQuery[]): void {
    void this.connect(take);
  }

  private async connect(take: () => PendingQuery[]): Promise<void> {
    let failure: Error | undefined;
    try {
      const client = (await this.target.pool().connect()) as Client;
      client.release(!(await this.send(take(), client)));
    } catch (error) {
      failure = error as Error;
    }
    this.done(failure);
  }

  /** Returns whether the connection can be used again. */
  private async send(queries: PendingQuery[], client: Client): Promise<boolean> {
    if (queries.length === 0) return true;
    const transaction = new OpenBatch(client, this.target);
    try {
      const rows = await transaction.insert(queries);
      const answers = queries.map(({ commitWith }, i) => commitWith?.(rows[i] ?? []) as Promise<Companion>);
      const companions = await withTimeout(Promise.all(answers), renderMs, () => {
        throw new RunAgain();
      });
      await transaction.commit(companions);
      for (const { resolve } of queries) resolve([]);
      return true;
    } catch (thrown) {
      const outcome = transaction.outcomeAfter(thrown);
      const isUsable = await transaction.rollBack(thrown);
      for (const { reject } of queries) reject(outcome);
      return isUsable;
    } finally {
      transaction.end();
    }
  }
}

/** The transaction of a batch. Its exchanges with the server end within the time of any batch. */
class OpenBatch {
  private isCommitting = false;
  private isBroken = false;
  private hasEnded = false;
  private breakOff: (cause: unknown) => void = ignore;
  private readonly timer = setTimeout(() => void this.giveUp(), answerMs);

  constructor(
    private readonly client: Client,
    private readonly target: BatchTarget,
  ) {
    client.on('error', ignore); // the exchange receives it too
  }

  /** Returns the rows of each insert. */
  async insert(queries: readonly PendingQuery[]): Promise<Row[][]> {
    const results: Row[][] = [];
    const inserts = queries.map((query, i) => ({
      ...query,
      resolve: (rows: Row[]) => void (results[i] = rows),
    }));
    const { named, isEmbedded } = this.target;
    const limits = isEmbedded ? [] : named ? [IDLE_LIMIT] : [LIMITS, IDLE_LIMIT];
    await this.exchange([BEGIN, ...limits, ...combineInserts(inserts)]);
    return results;
  }

  async commit(companions: readonly Companion[]): Promise<void> {
    this.isCommitting = true;
    const inserts = companions.map((companion) => ({ ...ownQuery(''), ...companion }));
    await this.exchange([...combineInserts(inserts), COMMIT]);
  }

  /** Returns whether the connection can be used again. Only a violated constraint says nothing about the connection. */
  async rollBack(cause: unknown): Promise<boolean> {
    if (this.isBroken || !(cause instanceof RunAgain || constraintOf(cause) !== undefined)) return false;
    await this.exchange([ROLLBACK]).catch(ignore);
    return !this.isBroken;
  }

  outcomeAfter(cause: unknown): Error {
    const isUnknown = toTransactionError(cause, this.isCommitting) instanceof OutcomeUnknown;
    return this.isCommitting && (this.isBroken || isUnknown) ? new OutcomeUnknown({ cause }) : new RunAgain();
  }

  end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.client.off('error', ignore);
  }

  private exchange(queries: PendingQuery[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let refusal: DatabaseError | undefined;
      this.breakOff = (cause) => {
        this.isBroken = true;
        reject(cause instanceof Error ? cause : new Error('The batch was not answered.', { cause }));
      };
      const listener = {
        committed: (sent: readonly PendingQuery[], rows: Row[][]) =>
          sent.forEach((query, i) => query.resolve(rows[i] ?? [])),
        rolledBack: (_: unknown, error: DatabaseError) => void (refusal = error),
      };
      const answered = (): void => {
        this.target.availability.recordResponse();
        if (refusal) reject(refusal);
        else resolve();
      };
      const connection = { answered, broken: this.breakOff };
      this.client.query(new PipelinedBatch([queries], this.target.named, listener, connection));
    });
  }

  /** A late answer would be taken for that of the next batch. */
  private async giveUp(): Promise<void> {
    await readSockets();
    if (!this.hasEnded && !this.isBroken) this.client.abandon(1, () => this.breakOff(undefined));
  }
}

const ignore = (): void => {};
