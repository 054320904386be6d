import type { DatabaseError } from 'pg';
import type pg from 'pg';
import type { Availability } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';
import { DatabaseBusy, DatabaseOutage, DatabaseRefusal, meaningOfError, OutcomeUnknown } from '../outage.js';
import type { Refusals } from '../refusals.js';
import { hangUp } from '../server/hang-up.js';
import { readSockets } from '../server/read-sockets.js';
import { isPerhapsOutOfDate } from '../sqlstate.js';
import { Batch } from './batch.js';
import type { Execution, Row } from './statement.js';
import { putTogether, takeApart } from './together.js';

const { waitMs, answerMs, statementMs } = DATABASE_LIMITS;

const ignore = (): void => {};

/** All forms below, with a new connection and a conflict between them. */
const MOST_ATTEMPTS = 6;

export interface Route {
  readonly pool: () => pg.Pool;
  readonly availability: Availability;
  readonly refusals: Refusals;
  readonly kind: 'read' | 'write';
  /** Whether statements keep their names on a connection. */
  readonly named: boolean;
}

type Release = (broken?: boolean) => void;
/**
 * - `together`: one transaction, one commit. The normal way.
 * - `tried`: each in a transaction that is rolled back, to find those at fault without a commit for each of the others.
 * - `apart`: each in a transaction of its own.
 */
type Form = 'together' | 'tried' | 'apart';

/**
 * Sends statements and settles each of them. They go together; when the server rolls that back, writes are tried, and
 * the good ones go together again. Those that fail only beside each other, and reads, go apart. So an error concerns the
 * statement that made it and no other, and no statement is sent more than a few times.
 */
export class Dispatch {
  private attempts = 0;
  private form: Form = 'together';
  /** One of the statements is at fault, and it is not known which. */
  private needsSearch = false;
  private haveBeenTried = false;
  private again: Execution[] = [];
  private needsNewConnection = false;
  private hasNewConnection = false;

  /** `done` is called when all are settled, with an error when there was no connection to send the first of them on. */
  constructor(
    private readonly route: Route,
    private readonly done: (error?: Error) => void,
  ) {}

  /** Statements are taken when there is a connection: those that arrive until then go with them. */
  start(take: () => Execution[]): void {
    this.connect(take, this.done);
  }

  private connect(take: () => Execution[], failed: (error?: Error) => void): void {
    this.route.pool().connect((error, client, release) => {
      if (client) this.send(take(), client, release);
      else failed(error);
    });
  }

  private send(executions: Execution[], client: pg.PoolClient, release: Release): void {
    if (executions.length === 0) {
      release();
      this.done();
      return;
    }
    this.attempts++;
    // PgBouncer 1.18 breaks the connection over transactions that are sent behind one another.
    const isOneByOne = this.form === 'apart' && !this.route.named;
    const now = isOneByOne ? executions.slice(0, 1) : executions;
    this.again = executions.slice(now.length);
    const unsettled = new Set<readonly Execution[]>(this.transactionsOf(now));
    let ended = false;
    const end = (goOn: () => void): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      client.off('error', ignore);
      goOn();
    };
    const dropAndGoOn = (): void => {
      release(true);
      this.needsNewConnection = false;
      this.hasNewConnection = true;
      this.goOn();
    };
    const lost = (cause: unknown): void =>
      end(() => {
        for (const transaction of unsettled) rejectAll(transaction, this.unanswered(cause));
        dropAndGoOn();
      });
    // Not returned to the pool: the answer may still come.
    const giveUp = async (): Promise<void> => {
      await readSockets();
      if (!ended) hangUp(client, () => lost(undefined));
    };
    const timer = setTimeout(() => void giveUp(), answerMs);
    const batch = new Batch([...unsettled], this.route.named, {
      committed: (transaction, rows) => {
        if (!ended && unsettled.delete(transaction)) this.committed(transaction, rows);
      },
      rolledBack: (transaction, error, wasPrepared) => {
        if (!ended && unsettled.delete(transaction)) this.rolledBack(transaction, error, wasPrepared);
      },
      answered: () => {
        this.route.availability.heard();
        end(() => (this.needsNewConnection ? dropAndGoOn() : this.goOn(client, release)));
      },
      broken: lost,
    });
    client.on('error', ignore); // of the connection: the batch is told too
    client.query(batch);
  }

  private transactionsOf(executions: Execution[]): Execution[][] {
    const transactions = this.inForm(executions);
    if (this.route.named) return transactions;
    // Behind a pooler a connection comes without our limit on statements.
    return transactions.map((transaction) => [TIME_LIMIT, ...transaction]);
  }

  private inForm(executions: Execution[]): Execution[][] {
    if (this.form === 'apart') return executions.map((execution) => [execution]);
    // After an error the rest of a transaction is skipped: the rollback is a message of its own.
    if (this.form === 'tried')
      return executions.flatMap((one) => [[BEGIN, one, CHECK_CONSTRAINTS], [ROLLBACK]]);
    return [this.route.kind === 'write' ? putTogether(executions) : executions];
  }

  private committed(transaction: readonly Execution[], rows: Row[][]): void {
    if (this.form === 'tried') this.again.push(...transaction.filter(isAskedFor));
    else transaction.forEach(({ resolve }, i) => resolve(rows[i] ?? []));
  }

  /** The server has done nothing of this transaction. */
  private rolledBack(transaction: readonly Execution[], error: DatabaseError, wasPrepared?: boolean): void {
    const meaning = meaningOfError(error);
    // A function, such as a trigger that asks another server, fails before the commit, and PostgreSQL names its routine; a
    // pooler that has lost the server does not.
    const isBeforeCommit = wasPrepared !== undefined && Boolean(error.routine);
    if (meaning === 'unknown' && !isBeforeCommit) return rejectAll(transaction, this.unanswered(error));
    const executions = takeApart(transaction).filter(isAskedFor);
    const isOutOfDate = wasPrepared === true && isPerhapsOutOfDate(error.code ?? '');
    const isStale = !this.hasNewConnection && (meaning === 'stale' || isOutOfDate);
    const isAlone = executions.length === 1;
    this.needsNewConnection ||= isStale;
    if (this.attempts < MOST_ATTEMPTS && (isStale || !isAlone || meaning === 'conflict')) {
      this.again.push(...executions);
      this.needsSearch ||= !isStale;
      return;
    }
    if (meaning === 'outage' || meaning === 'schema') this.route.refusals.count(error);
    rejectAll(executions, refusal(error));
  }

  /** Sends what is to be sent again, on the same connection when there still is one. */
  private goOn(client?: pg.PoolClient, release?: Release): void {
    const isLate = ({ since }: Execution): boolean => performance.now() - since >= waitMs;
    const late = this.again.filter(isLate);
    const again = this.again.filter((execution) => !late.includes(execution));
    this.again = [];
    this.form = this.nextForm();
    this.needsSearch = false;
    rejectAll(late, new DatabaseBusy());
    if (client && release) this.send(again, client, release);
    else if (again.length === 0) this.done();
    else {
      this.connect(
        () => again,
        (cause) => {
          rejectAll(again, new DatabaseOutage(undefined, { cause }));
          this.done();
        },
      );
    }
  }

  private nextForm(): Form {
    if (this.form === 'tried') {
      this.haveBeenTried = true;
      return 'together';
    }
    if (!this.needsSearch) return this.form;
    return this.haveBeenTried || this.route.kind === 'read' || !this.route.named ? 'apart' : 'tried';
  }

  private unanswered(cause: unknown): DatabaseOutage {
    return this.route.kind === 'write'
      ? new OutcomeUnknown({ cause })
      : new DatabaseOutage(undefined, { cause });
  }
}

function refusal(error: DatabaseError): Error {
  const meaning = meaningOfError(error);
  if (meaning === 'own') return error;
  return meaning === 'busy' || meaning === 'conflict'
    ? new DatabaseBusy({ cause: error })
    : new DatabaseRefusal({ cause: error });
}

function rejectAll(executions: readonly Execution[], error: Error): void {
  for (const { reject } of executions) reject(error);
}

const BEGIN = ownStatement('BEGIN');
const CHECK_CONSTRAINTS = ownStatement('SET CONSTRAINTS ALL IMMEDIATE');
const ROLLBACK = ownStatement('ROLLBACK');
const TIME_LIMIT = ownStatement(`SELECT set_config('statement_timeout', '${statementMs}', true)`);

function ownStatement(text: string): Execution {
  const statement = { name: '', text, properties: [] };
  return { statement, values: [], since: 0, resolve: ignore, reject: ignore };
}

function isAskedFor({ statement }: Execution): boolean {
  return statement.name !== '';
}
