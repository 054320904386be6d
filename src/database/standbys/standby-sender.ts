import type pg from 'pg';
import { BatchSender, type Release } from '../batching/batch-sender.js';
import type { PendingQuery } from '../batching/statement.js';

/** Sends batches to a standby. `catchUp` resolves when the server of the connection has what the primary had at the call. */
export function senderAfter(catchUp: (client: pg.PoolClient) => Promise<void>): typeof BatchSender {
  return class StandbySender extends BatchSender {
    /** On the connection of the batch: a standby that restarts begins anew, with less than it had. */
    protected override send(queries: PendingQuery[], client: pg.PoolClient, release: Release): void {
      if (queries.length === 0) {
        super.send(queries, client, release);
        return;
      }
      catchUp(client).then(
        () => super.send(queries, client, release),
        (reason: unknown) => {
          for (const { reject } of queries) reject(reason);
          release(true);
          this.done();
        },
      );
    }
  };
}
