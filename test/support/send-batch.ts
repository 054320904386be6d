import { Availability } from '../../src/database/availability.js';
import { BatchSender, type BatchTarget } from '../../src/database/batching/batch-sender.js';
import { BatchSize } from '../../src/database/batching/batch-size.js';
import { Isolation } from '../../src/database/batching/isolation.js';
import type { Owner } from '../../src/database/batching/owners.js';
import { RecentLock } from '../../src/database/batching/recent-lock.js';
import type { PendingQuery, Row } from '../../src/database/batching/statement.js';
import { RefusalLog } from '../../src/database/refusal-log.js';
import { type FakePostgres, insert } from './fake-postgres.js';

export type TargetOfTest = Omit<BatchTarget, 'pool'> & { isolation: Isolation };

export function targetOf(kind: 'read' | 'write'): TargetOfTest {
  return {
    availability: new Availability(),
    refusals: new RefusalLog(),
    locks: new RecentLock(),
    isolation: new Isolation(),
    size: new BatchSize(),
    kind,
    named: true,
  };
}

/** Sends a batch with a query for each name. Resolves with the rows or the error of each, and last with that of the end. */
export function sendBatch(
  server: FakePostgres,
  target: TargetOfTest,
  names: readonly string[],
  sinceOf: (i: number) => number = () => performance.now(),
  taken: (most?: number) => void = () => {},
  owner?: Owner,
): Promise<unknown[]> {
  const queries: PendingQuery[] = [];
  const answers = names.map(
    (name, i) =>
      new Promise<Row[]>((resolve, reject) =>
        queries.push({ statement: insert, values: [name], since: sinceOf(i), resolve, reject, owner }),
      ),
  );
  const ended = new Promise<unknown>((end) =>
    new BatchSender({ ...target, pool: server.pool }, end).start((most) => {
      taken(most);
      return queries;
    }),
  );
  return Promise.all([...answers, ended].map((answer) => answer.catch((reason: unknown) => reason)));
}
