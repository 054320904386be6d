import { DatabaseError } from 'pg';
import type { WaitingPlaces } from '../../common/waiting-places.js';
import { DatabaseBusy, type DatabaseOutage } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import { BatchSender, type BatchTarget, noConnection } from './batch-sender.js';
import { isKnownAsSlow, type Owner, takeTurn } from './owners.js';
import { SharedReads, shareKeyOf } from './shared-reads.js';
import { type Hold, lateAt, type PendingQuery, type Row, type Statement } from './statement.js';

const { waitMs, waiting: MOST_WAITING } = DATABASE_LIMITS;

type Sharing = Pick<PendingQuery, 'shareKey' | 'hold' | 'owner'>;

/** Makes the sender of one batch. It calls `done` at the end, with an error if there was no connection. */
export type SenderOf = (done: (error?: Error) => void) => Pick<BatchSender, 'start'>;

/** The turns of the event loop that a batch is gathered for at most: some hundred microseconds. */
const MOST_TURNS = 8;

/**
 * Group commit: statements that arrive while a batch is in flight form the next one. Many requests share a round trip,
 * and a single request waits only one turn of the event loop. The queue is bounded in length and in time.
 */
export class StatementQueue {
  private waiting: PendingQuery[] = [];
  private readonly shared = new SharedReads();
  private underWay = 0;
  private starting = false;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly target: BatchTarget,
    /** The number of batches in flight at most. */
    private readonly mostUnderWay: number,
    private readonly senderOf: SenderOf = (done) => new BatchSender(target, done),
    /** Bound its length, in place of the usual limit: its statements wait for many, as only those of an owner share a batch. */
    private readonly places?: WaitingPlaces,
  ) {
    target.availability.onAway((outage) => this.refuseWaiting(outage));
  }

  /** Queued statements, and unanswered batches. */
  get load(): { waiting: number; underWay: number } {
    return { waiting: this.waiting.length, underWay: this.underWay };
  }

  /** Throws at once if the database is away or the queue is full. */
  run(statement: Statement, values: readonly unknown[], owner?: Owner): Promise<Row[]> {
    this.target.availability.check();
    if (this.target.kind === 'write') return this.enqueue(statement, values, { owner });
    const shareKey = shareKeyOf(statement, values);
    return this.shared.find(shareKey) ?? this.enqueue(statement, values, { shareKey });
  }

  /** Resolves when the insert is committed. `hold` takes its rows before that. */
  runRecorded(
    statement: Statement,
    values: readonly unknown[],
    hold: Hold<Row[]>,
    owner?: Owner,
  ): Promise<unknown> {
    this.target.availability.check();
    return this.enqueue(statement, values, { hold, owner });
  }

  private enqueue(statement: Statement, values: readonly unknown[], sharing: Sharing = {}): Promise<Row[]> {
    const { shareKey, hold, owner } = sharing;
    let query!: PendingQuery;
    const free = this.places?.take({ group: owner, giveUp: () => this.giveUp(query) });
    if (this.places ? !free : this.waiting.length >= MOST_WAITING) {
      this.countLate([{ statement }]);
      throw new DatabaseBusy();
    }
    const answer = new Promise<Row[]>((resolve, reject) => {
      const since = performance.now();
      query = { statement, values, since, resolve, reject, shareKey, hold, owner, free };
    });
    this.waiting.push(query);
    this.shared.add(query, answer);
    this.deadline ??= setTimeout(() => this.refuseLate(), waitMs);
    this.startSoon();
    return answer;
  }

  /** Waits as long as each turn of the event loop reads more requests from their sockets: they join the batch. */
  private startSoon(): void {
    if (this.starting || this.underWay >= this.mostUnderWay) return;
    this.starting = true;
    this.gather(this.waiting.length, MOST_TURNS);
  }

  private gather(gathered: number, turns: number): void {
    setImmediate(() => {
      const { length } = this.waiting;
      if (length > gathered && length < this.target.size.most && turns > 0) {
        this.gather(length, turns - 1);
        return;
      }
      this.starting = false;
      this.start();
    });
  }

  private start(): void {
    if (this.waiting.length === 0 || this.underWay >= this.mostUnderWay) return;
    this.underWay++;
    const sender = this.senderOf((error) => {
      this.underWay--;
      if (error) this.refuseConnection(error);
      this.startSoon();
    });
    sender.start((most) => this.take(most));
  }

  /** The heartbeat may have other connections, and sees only a server that stops or starts. */
  private refuseConnection(error: Error): void {
    if (error instanceof DatabaseError && !error.code?.startsWith('57')) this.target.refusals.count(error);
    this.refuseWaiting(noConnection(error));
  }

  private take(most = this.target.size.most): PendingQuery[] {
    const queries = this.places ? this.takeOfOne(most) : this.waiting.splice(0, most);
    this.left(queries);
    return queries;
  }

  /** It may be doubted only because it met a lock. */
  private takeOfOne(mostOfSlow: number): PendingQuery[] {
    const owner = takeTurn(this.waiting.map((query) => query.owner));
    const most = isKnownAsSlow(owner) ? mostOfSlow : DATABASE_LIMITS.batch;
    const queries = this.waiting.filter((query) => query.owner === owner).slice(0, most);
    const taken = new Set(queries);
    this.waiting = this.waiting.filter((query) => !taken.has(query));
    return queries;
  }

  private refuseLate(): void {
    this.deadline = undefined;
    const now = performance.now();
    const isLate = lateAt(now);
    const late = this.waiting.filter(isLate);
    this.waiting = this.waiting.filter((query) => !isLate(query));
    this.countLate(late);
    this.refuse(late, new DatabaseBusy());
    const [first] = this.waiting;
    if (first) this.deadline = setTimeout(() => this.refuseLate(), Math.max(1, waitMs - (now - first.since)));
  }

  private countLate(queries: readonly Pick<PendingQuery, 'statement'>[]): void {
    for (const { statement } of queries) this.target.refusals.countLate('turn', statement.name);
  }

  private refuseWaiting(outage: DatabaseOutage): void {
    const refused = this.waiting;
    this.waiting = [];
    this.refuse(refused, outage);
  }

  /** Its place was needed for one of another key. */
  private giveUp(query: PendingQuery): void {
    this.waiting = this.waiting.filter((other) => other !== query);
    this.countLate([query]);
    this.refuse([query], new DatabaseBusy());
  }

  private refuse(queries: PendingQuery[], outage: DatabaseOutage): void {
    this.left(queries);
    for (const { reject } of queries) reject(outage);
  }

  private left(queries: PendingQuery[]): void {
    this.shared.keep(this.waiting);
    for (const { free } of queries) free?.();
  }
}
