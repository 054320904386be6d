import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { RecentLock } from '../batching/recent-lock.js';
import type { BatchTarget } from '../batching/batch-sender.js';
import { BatchSize } from '../batching/batch-size.js';
import type { Row, Statement } from '../batching/statement.js';
import { type SenderOf, StatementQueue } from '../batching/statement-queue.js';
import { DATABASE_LIMITS } from '../limits.js';
import { serverDriver, type ServerPool } from '../server/server-driver.js';
import { type Follower, NotFollowing } from './follower.js';
import { NoReadIndex } from './read-index.js';
import { StandbyAvailability } from './standby-availability.js';
import { STANDBY_BATCH, STANDBY_BATCHES, STANDBY_LIMITS } from './standby-limits.js';
import { StandbySender } from './standby-sender.js';

const { heartbeatMs } = DATABASE_LIMITS;
const { connectMs, retryMs, staleMs } = STANDBY_LIMITS;

/** A standby, and whether reads can go there: it answers, follows the primary, and is close behind. */
export class Standby {
  /** The reads that it has answered. */
  reads = 0;
  /** The reads that it has not answered yet. */
  pending = 0;
  private readonly availability: StandbyAvailability;
  private readonly pool: ServerPool;
  private readonly queue: StatementQueue;
  private readonly staleReads: StatementQueue;
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  private caughtUpAt = -Infinity;
  private retryAt = -Infinity;

  constructor(
    readonly name: string,
    config: pg.ClientConfig,
    named: boolean,
    private readonly follower: Follower,
    /** For how long the primary has been away. */
    private readonly primaryAwayFor: () => number,
  ) {
    const availability = new StandbyAvailability(name);
    const { Pool } = serverDriver(availability);
    const pool = new Pool({
      ...config,
      connectionTimeoutMillis: connectMs,
      max: STANDBY_BATCHES + 1, // one for checks
      idleTimeoutMillis: 0,
    });
    this.availability = availability;
    this.pool = pool;
    const target: BatchTarget = {
      kind: 'read',
      named,
      availability,
      answerMs: follower.answerMs,
      size: new BatchSize(STANDBY_BATCH, STANDBY_BATCH),
      refusals: { count() {}, countLate() {}, countUncombined() {} }, // the primary serves
      locks: new RecentLock(),
      pool: () => pool,
    };
    const catchUp = (client: pg.PoolClient) => this.use(() => this.follower.catchUp(client));
    const senderOf: SenderOf = (done) => new StandbySender(target, done, catchUp);
    this.queue = new StatementQueue(target, STANDBY_BATCHES, senderOf);
    this.staleReads = new StatementQueue(target, STANDBY_BATCHES);
  }

  get isAvailable(): boolean {
    return this.availability.isAvailable;
  }

  /** Whether it had everything shortly before the primary went away. */
  get wasCloseBehind(): boolean {
    return performance.now() - this.caughtUpAt <= this.primaryAwayFor() + staleMs;
  }

  get lag(): number {
    return this.follower.lag;
  }

  get load(): { waiting: number; underWay: number } {
    return this.queue.load;
  }

  async read(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.pending++;
    try {
      const rows = await this.queue.run(statement, values);
      this.reads++;
      return rows;
    } finally {
      this.pending--;
    }
  }

  /** From what it has now. */
  readStale(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.staleReads.run(statement, values);
  }

  start(): void {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
    await this.pool.end();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.isCheckDue()) await this.check().catch((error: unknown) => this.leaveOut(error));
      await delay(heartbeatMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Not while reads show that it works, nor soon after they failed. */
  private isCheckDue(): boolean {
    const now = performance.now();
    return this.isAvailable ? now - this.caughtUpAt >= heartbeatMs : now >= this.retryAt;
  }

  private async check(): Promise<void> {
    const client = await this.pool.probe();
    try {
      await this.use(() => this.follower.follow(client));
      client.release();
      this.availability.markAvailable();
    } catch (error) {
      const isPrimaryAway = error instanceof NoReadIndex;
      client.release(!isPrimaryAway);
      if (!isPrimaryAway) throw error;
      // It answers, which is enough for stale reads if they are allowed.
      if (this.caughtUpAt > 0) this.availability.markAvailable();
    }
  }

  private async use(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.caughtUpAt = performance.now();
    } catch (error) {
      if (error instanceof NotFollowing) this.caughtUpAt = -Infinity;
      // The primary failed, and not the connection.
      if (!(error instanceof NoReadIndex)) this.leaveOut(error);
      throw error;
    }
  }

  private leaveOut(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.retryAt = performance.now() + retryMs;
    this.availability.markAway(error instanceof Error ? error.message : String(error));
  }
}
