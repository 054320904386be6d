import { DATABASE_LIMITS } from '../limits.js';
import { DatabaseBusy, DatabaseOutage } from '../outage.js';
import { Dispatch, type Route } from './dispatch.js';
import { questionOf, SharedReads } from './shared-reads.js';
import type { Execution, Row, Statement } from './statement.js';

const { waitMs, waiting: MOST_WAITING, batch: LARGEST_BATCH } = DATABASE_LIMITS;

/** How many turns of the event loop a batch is gathered for at most: some hundred microseconds. */
const MOST_TURNS = 8;

/**
 * The queue of statements. Those that arrive while others are under way wait and go together in the next batch: few
 * round trips when many ask, no delay when few do. It is bounded in number and in time.
 */
export class Channel {
  private waiting: Execution[] = [];
  private readonly shared = new SharedReads();
  private underWay = 0;
  private starting = false;
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly route: Route,
    /** How many batches may be under way at once. */
    private readonly lanes: number,
  ) {
    route.availability.onAway((outage) => this.refuseWaiting(outage));
  }

  /** Statements that wait for their turn, and batches that wait for their answer. */
  get load(): { waiting: number; underWay: number } {
    return { waiting: this.waiting.length, underWay: this.underWay };
  }

  /** Throws at once when it is of no use to wait. */
  run(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.route.availability.check();
    if (this.route.kind === 'write') return this.enqueue(statement, values);
    const question = questionOf(statement, values);
    return this.shared.find(question) ?? this.enqueue(statement, values, question);
  }

  private enqueue(statement: Statement, values: readonly unknown[], question?: string): Promise<Row[]> {
    if (this.waiting.length >= MOST_WAITING) throw new DatabaseBusy();
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
    if (this.starting || this.underWay >= this.lanes) return;
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
    if (this.waiting.length === 0 || this.underWay >= this.lanes) return;
    this.underWay++;
    const dispatch = new Dispatch(this.route, (error) => {
      this.underWay--;
      if (error) this.refuseWaiting(new DatabaseOutage(undefined, { cause: error }));
      this.startSoon();
    });
    dispatch.start(() => this.take());
  }

  private take(): Execution[] {
    const executions = this.waiting.splice(0, LARGEST_BATCH);
    this.shared.keep(this.waiting);
    return executions;
  }

  private refuseLate(): void {
    this.watch = undefined;
    const now = performance.now();
    const late = this.waiting.filter(({ since }) => now - since >= waitMs);
    this.waiting = this.waiting.filter(({ since }) => now - since < waitMs);
    this.refuse(late, new DatabaseBusy());
    const [first] = this.waiting;
    if (first) this.watch = setTimeout(() => this.refuseLate(), Math.max(1, waitMs - (now - first.since)));
  }

  private refuseWaiting(outage: DatabaseOutage): void {
    const refused = this.waiting;
    this.waiting = [];
    this.refuse(refused, outage);
  }

  private refuse(executions: Execution[], outage: DatabaseOutage): void {
    this.shared.keep(this.waiting);
    for (const { reject } of executions) reject(outage);
  }
}
