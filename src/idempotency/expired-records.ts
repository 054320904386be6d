import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KEPT_HOURS } from '../api/responses/idempotency-key.js';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';

const EVERY_MS = 60_000;
/** Between portions, and before the next run when one left some. */
const PAUSE_MS = 200;
const PORTION = 500;
const PORTIONS = 10;

/** By the clocks of both the database and this process: one that is set ahead must not end all records. */
const deletion = (locking: string): string => `
  DELETE FROM idempotency_records WHERE digest IN (
    SELECT digest FROM idempotency_records
    WHERE created_at < least(now(), $1::timestamptz) - interval '${KEPT_HOURS} hours'
    ORDER BY created_at LIMIT ${PORTION} ${locking})`;
/** Rows that another replica is deleting are skipped. A cluster cannot lock the rows of several nodes at once. */
const DELETE = deletion('FOR UPDATE SKIP LOCKED');
const DELETE_ON_CLUSTER = deletion('');

/** Deletes expired records in small portions, of which requests notice nothing. */
@Injectable()
export class ExpiredRecords implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run().catch(() => {}); // aborted
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  /** Returns whether some may be left. */
  async delete(): Promise<boolean> {
    const statement = this.database.isDistributed ? DELETE_ON_CLUSTER : DELETE;
    for (let portion = 0; portion < PORTIONS; portion++) {
      const [, deleted] = await this.dataSource.query<[unknown, number]>(statement, [this.clock.now()]);
      if (deleted < PORTION) return false;
      await this.wait(PAUSE_MS);
    }
    return true;
  }

  private async run(): Promise<void> {
    await Promise.race([this.database.whenReady(), this.wait(2 ** 31 - 1)]);
    for (let isMore = false; ;) {
      // Replicas that started together take turns.
      await this.wait((isMore ? PAUSE_MS : EVERY_MS) * (0.5 + Math.random()));
      isMore = await this.delete().catch((error: unknown) => {
        if (!this.stopping.signal.aborted)
          this.logger.warn(`Expired records are not deleted at the moment: ${String(error)}`);
        return false;
      });
    }
  }

  private async wait(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.stopping.signal });
  }
}
