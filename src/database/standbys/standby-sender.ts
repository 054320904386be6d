import type pg from 'pg';
import { BatchSender, type BatchTarget, type Release } from '../batching/batch-sender.js';
import type { PendingQuery } from '../batching/statement.js';

export class StandbySender extends BatchSender {
  constructor(
    target: BatchTarget,
    done: (error?: Error) => void,
    /** Resolves when the server of the connection has what the primary had at the call. */
    private readonly catchUp: (client: pg.PoolClient) => Promise<void>,
  ) {
    super(target, done);
  }

  /** On the connection of the batch: a standby that restarts begins anew, with less than it had. */
  protected override send(queries: PendingQuery[], client: pg.PoolClient, release: Release): void {
    if (queries.length === 0) {
      super.send(queries, client, release);
      return;
    }
    this.catchUp(client).then(
      () => super.send(queries, client, release),
      (reason: unknown) => {
        for (const { reject } of queries) reject(reason);
        release(true);
        this.done();
      },
    );
  }
}
