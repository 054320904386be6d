import type pg from 'pg';
import type { RowParsingClient } from '../pg-driver.js';
import { DATABASE_LIMITS } from '../limits.js';
import type { Take } from './batch-sender.js';
import { RecordedBatch, type RecordedTarget } from './recorded-batch.js';

/**
 * Sends a batch of inserts whose requests answer before the commit: first the inserts, then their companions and the
 * commit. If something goes wrong, all of them are rolled back and each request runs again, unless they may be committed.
 * In isolation, an insert that is refused fails alone.
 */
export class RecordedSender {
  constructor(
    private readonly target: RecordedTarget,
    /** Called at the end, with an error if there was no connection. */
    private readonly done: (error?: Error) => void,
  ) {}

  start(take: Take): void {
    this.target.pool().connect((error, client, release) => {
      if (!client) {
        this.done(error);
        return;
      }
      const { isolation, probes } = this.target;
      const probed = probes?.most;
      const isProbe = probed !== undefined && !probes?.areOfParty;
      const isIsolated = probed !== undefined || isolation.isOn;
      // Isolated inserts share the time of a statement.
      const most = isIsolated ? Math.min(probed ?? Infinity, DATABASE_LIMITS.batch) : undefined;
      new RecordedBatch(
        this.target,
        client as pg.PoolClient & RowParsingClient,
        take(most),
        isProbe ? 'probe' : isIsolated ? 'isolated' : 'combined',
        (isUsable) => {
          release(!isUsable);
          this.done();
        },
      ).start();
    });
  }
}
