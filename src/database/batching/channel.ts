import { DatabaseError } from 'pg';
import type pg from 'pg';
import type { Availability } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';
import { DatabaseOutage, isDatabaseOutage, OutcomeUnknown } from '../outage.js';
import { hangUp } from '../server/hang-up.js';
import { Batch } from './batch.js';
import { questionOf, SharedReads } from './shared-reads.js';
import type { Execution, Row, Statement } from './statement.js';
import { putTogether, takeApart } from './together.js';

export interface ChannelOptions {
  /** Reads may be sent again, and share an answer; what changes something is sent once. */
  readonly kind: 'read' | 'write';
  /** How many batches may be under way at once. */
  readonly lanes: number;
  readonly named: boolean;
}

const { waitMs, answerMs, waiting: MOST_WAITING, batch: LARGEST_BATCH } = DATABASE_LIMITS;

/** How many turns of the event loop a batch is gathered for at most: some hundred microseconds. */
const MOST_TURNS = 8;

const BUSY = 'The database is too busy at the moment. Nothing was stored.';

/**
 * The way of statements to the database and back. Those that arrive while others are under way wait and go together in
 * the next batch: few round trips when many ask, no delay when few do. It is bounded in number and in time.
 */
export class Channel {
  private waiting: Execution[] = [];
  private readonly shared = new SharedReads();
  private underWay = 0;
  private starting = false;
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: () => pg.Pool,
    private readonly availability: Availability,
    private readonly options: ChannelOptions,
  ) {
    availability.onAway((outage) => this.refuseWaiting(() => outage));
  }

  /** Statements that wait for their turn, and batches that wait for their answer. */
  get load(): { waiting: number; underWay: number } {
    return { waiting: this.waiting.length, underWay: this.underWay };
  }

  /** Throws at once when it is of no use to wait. */
  run(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.availability.check();
    if (this.options.kind === 'write') return this.enqueue(statement, values);
    const question = questionOf(statement, values);
    return this.shared.find(question) ?? this.enqueue(statement, values, question);
  }

  private enqueue(statement: Statement, values: readonly unknown[], question?: string): Promise<Row[]> {
    if (this.waiting.length >= MOST_WAITING) throw new DatabaseOutage(BUSY);
    let execution!: Execution;
    const answer = new Promise<Row[]>((resolve, reject) => {
      execution = { statement, values, since: performance.now(), resolve, reject, question };
    });
    this.waiting.push(execution);
    this.shared.add(execution, answer);
    this.watch ??= setTimeout(() => this.refuseLate(), waitMs);
    this.startSoon();
    return answer;
  }

  /** Not at once: as long as every turn of the event loop reads more requests from their sockets, they go together. */
  private startSoon(): void {
    if (this.starting || this.underWay >= this.options.lanes) return;
    this.starting = true;
    this.gather(this.waiting.length, MOST_TURNS);
  }

  private gather(gathered: number, turns: number): void {
    setImmediate(() => {
      const { length } = this.waiting;
      if (length > gathered && length < LARGEST_BATCH && turns > 0) {
        this.gather(length, turns - 1);
        return;
      }
      this.starting = false;
      this.start();
    });
  }

  private start(): void {
    if (this.waiting.length === 0 || this.underWay >= this.options.lanes) return;
    this.underWay++;
    this.pool().connect((error, client, release) => {
      if (client) this.send(client, release);
      else this.finish(() => this.refuseWaiting(() => new DatabaseOutage(undefined, { cause: error })));
    });
  }

  private finish(work?: () => void): void {
    this.underWay--;
    work?.();
    this.startSoon();
  }

  private send(client: pg.PoolClient, release: (broken?: boolean) => void): void {
    const executions = this.take();
    if (executions.length === 0) {
      release();
      this.finish();
      return;
    }
    let ended = false;
    const end = (broken: boolean, settle: () => void): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      client.off('error', ignore);
      release(broken);
      this.finish(settle);
    };
    const lost = (error: unknown): void => this.reject(executions, this.unanswered(error));
    const timer = setTimeout(() => {
      // What comes on this connection is the answer to something nobody waits for.
      hangUp(client, () => end(true, () => lost(undefined)));
    }, answerMs);
    const batch = new Batch(executions, this.options.named, {
      done: (results) => {
        this.availability.heard();
        end(false, () => executions.forEach(({ resolve }, i) => resolve(results[i] ?? [])));
      },
      failed: (error, index) =>
        isRefusal(error)
          ? end(false, () => this.refused(executions, error, index))
          : end(true, () => lost(error)),
    });
    client.on('error', ignore); // of the connection: the batch is told too
    client.query(batch);
  }

  private take(): Execution[] {
    const executions = this.waiting.splice(0, LARGEST_BATCH);
    this.shared.keep(this.waiting);
    if (this.options.kind === 'read' && this.options.named) return executions;
    const together = putTogether(executions);
    if (together.length > 0 && !this.options.named) together.unshift(timeLimit());
    return together;
  }

  /** The server has done nothing of the batch. When one statement is at fault, the others are none the worse for it. */
  private refused(executions: Execution[], error: DatabaseError, index: number): void {
    const isFaulty = /^2[23]/.test(error.code ?? '');
    if (!isFaulty) {
      const why = isDatabaseOutage(error) ? new DatabaseOutage(BUSY, { cause: error }) : error;
      return this.reject(executions, why);
    }
    const faulty = executions[index];
    const again = executions.filter(({ statement }, i) => i !== index && statement.name);
    if (faulty?.parts) again.push(...takeApart(faulty));
    else faulty?.reject(error);
    this.waiting.unshift(...again);
    this.watch ??= setTimeout(() => this.refuseLate(), waitMs);
  }

  private unanswered(cause: unknown): DatabaseOutage {
    return this.options.kind === 'write'
      ? new OutcomeUnknown({ cause })
      : new DatabaseOutage(undefined, { cause });
  }

  private refuseLate(): void {
    this.watch = undefined;
    const now = performance.now();
    const late = this.waiting.filter(({ since }) => now - since >= waitMs);
    this.waiting = this.waiting.filter(({ since }) => now - since < waitMs);
    this.shared.keep(this.waiting);
    this.reject(late, new DatabaseOutage(BUSY));
    const [first] = this.waiting;
    if (first) this.watch = setTimeout(() => this.refuseLate(), Math.max(1, waitMs - (now - first.since)));
  }

  private refuseWaiting(why: () => Error): void {
    const refused = this.waiting;
    this.waiting = [];
    this.shared.keep(this.waiting);
    this.reject(refused, why());
  }

  private reject(executions: Execution[], error: unknown): void {
    for (const { reject } of executions) reject(error);
  }
}

const ignore = (): void => {};

/** An answer of the server, after which it goes on, and not its last word before it ends the connection. */
function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity === 'ERROR';
}

/** Behind a pooler a connection comes without our limit on statements; it is set for the transaction of the batch. */
function timeLimit(): Execution {
  const text = `SELECT set_config('statement_timeout', '${DATABASE_LIMITS.statementMs}', true)`;
  return {
    statement: { name: '', text, properties: [] },
    values: [],
    since: 0,
    resolve: ignore,
    reject: ignore,
  };
}
