import { DatabaseError } from 'pg';
import { giveUpAfter } from '../../common/patience.js';
import type { WaitingPlaces } from '../../common/waiting-places.js';
import { DatabaseBusy, type DatabaseOutage } from '../database-errors.js';
import { DATABASE_LIMITS } from '../limits.js';
import { BatchSender, type BatchTarget, noConnection } from './batch-sender.js';
import { isKnownAsSlow, type Owner } from './owners.js';
import { SharedReads, shareKeyOf } from './shared-reads.js';
import { type Hold, lateAt, type PendingQuery, type Row, type Statement } from './statement.js';

const { waitMs, waiting: MOST_WAITING } = DATABASE_LIMITS;

/** Whose it is, and whose batches it shares. */
export type Sharing = Pick<PendingQuery, 'owner' | 'party'>;

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
  /** When the last batch of a party, or with a read of an owner, began. */
  private readonly turns = new WeakMap<Owner, number>();
  private underWay = 0;
  private readonly late = new Set<symbol>();
  private starting = false;
  /** Of the oldest that waits. */
  private cancelDeadline: (() => void) | undefined;

  constructor(
    private readonly target: BatchTarget,
    /** The number of batches in flight at most. Beside one that is late there may be one more, if the target has a spare. */
    private readonly mostUnderWay: number,
    private readonly senderOf: SenderOf = (done) => new BatchSender(target, done),
    /** Bound its length, in place of the usual limit: its statements wait for many, as only those of a party share a batch. */
    private readonly places?: WaitingPlaces,
  ) {
    target.availability.onAway((outage) => this.refuseWaiting(outage));
  }

  /** Queued statements, and unanswered batches. */
  get load(): { waiting: number; underWay: number } {
    return { waiting: this.waiting.length, underWay: this.underWay };
  }

  /** Throws at once if the database is away or the queue is full. */
  run(statement: Statement, values: readonly unknown[], sharing?: Sharing): Promise<Row[]> {
    this.target.availability.check();
    if (this.target.kind === 'write') return this.enqueue(statement, values, sharing);
    const shareKey = shareKeyOf(statement, values);
    return this.shared.find(shareKey) ?? this.enqueue(statement, values, { ...sharing, shareKey });
  }

  /** Resolves when the insert is committed. `hold` takes its rows before that. */
  runRecorded(
    statement: Statement,
    values: readonly unknown[],
    hold: Hold<Row[]>,
    sharing?: Sharing,
  ): Promise<unknown> {
    this.target.availability.check();
    return this.enqueue(statement, values, { ...sharing, hold });
  }

  private enqueue(
    statement: Statement,
    values: readonly unknown[],
    sharing?: Sharing & Pick<PendingQuery, 'shareKey' | 'hold'>,
  ): Promise<Row[]> {
    let query!: PendingQuery;
    const answer = new Promise<Row[]>((resolve, reject) => {
      query = { statement, values, since: performance.now(), resolve, reject, ...sharing };
    });
    const placed = this.place(query);
    if (!placed) {
      this.countLate([query]);
      throw new DatabaseBusy();
    }
    this.shared.add(placed, answer);
    return answer;
  }

  /** Takes over what has waited elsewhere. Returns whether there was a place for it. */
  takeOver(query: PendingQuery): boolean {
    if (!this.place(query)) return false;
    this.cancelDeadline?.(); // it may be older than the others
    this.refuseLate();
    return true;
  }

  private place(query: PendingQuery): PendingQuery | undefined {
    const free = this.places?.take({
      group: query.owner?.key ?? query.owner,
      giveUp: () => this.giveUp(placed),
    });
    if (this.places ? !free : this.waiting.length >= MOST_WAITING) return undefined;
    const placed = free ? { ...query, free } : query;
    this.waiting.push(placed);
    this.cancelDeadline ??= giveUpAfter(waitMs, () => this.refuseLate());
    this.startSoon();
    return placed;
  }

  /** Waits as long as each turn of the event loop reads more requests from their sockets: they join the batch. */
  private startSoon(): void {
    if (this.starting || !this.mayStart) return;
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
    if (this.waiting.length === 0 || !this.mayStart) return;
    this.underWay++;
    const ended = this.watch();
    const sender = this.senderOf((error) => {
      this.underWay--;
      ended();
      if (error) this.refuseConnection(error);
      this.startSoon();
    });
    sender.start((most) => this.take(most));
  }

  private get mayStart(): boolean {
    return this.underWay < this.mostUnderWay + (this.late.size > 0 ? 1 : 0);
  }

  /** Others must not wait for an answer that may never come. Returns what to call at the end of the batch. */
  private watch(): () => void {
    const { hasSpare, size } = this.target;
    if (!hasSpare || !Number.isFinite(size.lateMs)) return () => {};
    const batch = Symbol();
    const timer = setTimeout(() => {
      this.late.add(batch);
      this.startSoon();
    }, size.lateMs);
    return () => {
      clearTimeout(timer);
      this.late.delete(batch);
    };
  }

  /** The heartbeat may have other connections, and sees only a server that stops or starts. */
  private refuseConnection(error: Error): void {
    if (this.target.hasSpare && this.underWay > 0) {
      this.late.clear(); // no spare connection can be made, so the batch under way is waited for
      return;
    }
    if (error instanceof DatabaseError && !error.code?.startsWith('57')) this.target.refusals.count(error);
    this.refuseWaiting(noConnection(error));
  }

  private take(most = this.target.size.most): PendingQuery[] {
    const queries = this.places ? this.takeInTurn(most) : this.waiting.splice(0, most);
    this.left(queries);
    return queries;
  }

  private takeInTurn(most: number): PendingQuery[] {
    return this.target.kind === 'write' ? this.takeOfOneParty(most) : this.takeOfAllOwners(most);
  }

  /** Reads keep no locks from each other. */
  private takeOfAllOwners(most: number): PendingQuery[] {
    const turnOf = ({ owner }: PendingQuery): number => this.turnOf(owner);
    const inTurn = this.waiting.toSorted((one, other) => turnOf(one) - turnOf(other));
    const queries = this.takeOut(oneOfEachFirst(inTurn).slice(0, most));
    for (const { owner } of queries) this.tookTurn(owner);
    return queries;
  }

  /** Some parties have slow inserts, and few of them at a time. */
  private takeOfOneParty(mostOfSlow: number): PendingQuery[] {
    const next = this.takeTurn();
    const most = isKnownAsSlow(next) ? mostOfSlow : DATABASE_LIMITS.batch;
    return this.takeOut(oneOfEachFirst(this.waiting.filter(({ party }) => party === next)).slice(0, most));
  }

  private takeOut(queries: PendingQuery[]): PendingQuery[] {
    const taken = new Set(queries);
    this.waiting = this.waiting.filter((query) => !taken.has(query));
    return queries;
  }

  /** Of the party that has waited longest for it: one with many inserts that wait must not have all turns. */
  private takeTurn(): Owner | undefined {
    const turnOf = ({ party }: PendingQuery): number => this.turnOf(party);
    const party = this.waiting.toSorted((one, other) => turnOf(one) - turnOf(other))[0]?.party;
    this.tookTurn(party);
    return party;
  }

  private turnOf(one: Owner | undefined): number {
    return (one && this.turns.get(one)) ?? 0;
  }

  private tookTurn(one: Owner | undefined): void {
    if (one) this.turns.set(one, performance.now());
  }

  private refuseLate(): void {
    this.cancelDeadline = undefined;
    const now = performance.now();
    const isLate = lateAt(now);
    const late = this.waiting.filter(isLate);
    this.waiting = this.waiting.filter((query) => !isLate(query));
    this.countLate(late);
    this.refuse(late, new DatabaseBusy());
    this.target.inquiry?.()?.late(late);
    if (this.waiting.length === 0) return;
    const oldest = Math.min(...this.waiting.map(({ since }) => since));
    this.cancelDeadline = giveUpAfter(Math.max(1, waitMs - (now - oldest)), () => this.refuseLate());
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

/** An owner with many must not use up what all may wait for locks. */
function oneOfEachFirst(queries: readonly PendingQuery[]): PendingQuery[] {
  const before = new Map<Owner | undefined, number>();
  const ranked = queries.map((query) => {
    const rank = before.get(query.owner) ?? 0;
    before.set(query.owner, rank + 1);
    return { query, rank };
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ query }) => query);
}
