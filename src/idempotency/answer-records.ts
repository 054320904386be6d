import { Injectable } from '@nestjs/common';
import type { Companion, Statement } from '../database/batching/statement.js';
import { StatementQueues } from '../database/batching/statement-queues.js';
import { constraintOf, OutcomeUnknown, toOutage } from '../database/database-errors.js';

/** The first success of a request, as it is sent again. */
export interface AnswerRecord {
  /** Of the request. */
  readonly bodyHash: string;
  readonly status: number;
  readonly location: string | null;
  readonly body: string | null;
}

const FIND: Statement = {
  name: 'find idempotency record',
  text: `
    SELECT '\\x' || encode(body_hash, 'hex'), status, location, body,
      current_setting('synchronous_standby_names', true) <> ''
    FROM idempotency_records WHERE digest = $1`,
  properties: ['bodyHash', 'status', 'location', 'body', 'awaitsStandby'],
};

/** The lock gives the transaction something to commit, which waits for a standby that has all earlier commits. */
const SECURE: Statement = {
  name: 'secure idempotency record',
  text: 'SELECT status FROM idempotency_records WHERE digest = $1 FOR KEY SHARE',
  properties: ['status'],
};

const COLUMNS = 'digest, body_hash, status, location, body';

/** A second record of a digest violates the primary key, and its change is rolled back. */
const INSERT: Statement = {
  name: 'insert idempotency record',
  text: `INSERT INTO idempotency_records (${COLUMNS}) VALUES ($1, $2, $3, $4, $5) RETURNING status`,
  properties: ['status'],
  forMany: {
    name: 'insert idempotency records',
    // Sorted, so that the batches of two replicas do not wait for each other.
    text: `
      INSERT INTO idempotency_records (${COLUMNS})
      SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::smallint[], $4::text[], $5::text[]) AS _ (${COLUMNS})
      ORDER BY digest RETURNING status`,
    properties: ['status'],
  },
};

/** The table of records. Their digest tells requests apart. */
@Injectable()
export class AnswerRecords {
  constructor(private readonly queues: StatementQueues) {}

  /**
   * A commit whose wait for its standby was cancelled can be seen, although a failover may lose it. It is not acknowledged
   * before a standby has it.
   */
  async find(digest: string): Promise<AnswerRecord | undefined> {
    const [row] = await this.queues.readAtPrimary(FIND, [digest]);
    if (!row) return undefined;
    const { awaitsStandby, ...record } = row;
    if (awaitsStandby) await this.secure(digest);
    return record as unknown as AnswerRecord;
  }

  private async secure(digest: string): Promise<void> {
    try {
      await this.queues.write(SECURE, [digest]);
    } catch (cause) {
      // Even if this was refused, the first success may last.
      throw toOutage(cause, true) ? new OutcomeUnknown({ cause }) : cause;
    }
  }

  companionOf(digest: string, { bodyHash, status, location, body }: AnswerRecord): Companion {
    return { statement: INSERT, values: [digest, bodyHash, String(status), location, body] };
  }

  /** For an answer without a change. */
  async insert({ statement, values }: Companion): Promise<void> {
    await this.queues.write(statement, values);
  }

  isDuplicate(error: unknown): boolean {
    return constraintOf(error) === 'idempotency_records_pkey';
  }
}
