import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { withTimeout } from '../../common/with-timeout.js';
import { destroyConnection } from '../destroy-connection.js';
import { RowParsingClient } from '../pg-driver.js';
import { SERVER } from '../server/server-identity.js';

const TRANSACTIONS = 32;
const TIMEOUT_MS = 2_000;

/** Ids of transactions on the primary, and whether each was committed or aborted. They concern all databases of a server. */
interface Mark {
  readonly database: string;
  readonly ids: readonly string[];
  readonly outcomes: readonly string[];
}

const DATABASE = 'SELECT oid::text FROM pg_database WHERE datname = current_database()';
/** NULL for transactions whose outcome is forgotten. Fails for ids that the server has not seen yet. */
const COMPARE = `
  SELECT bool_and(pg_xact_status(id::xid8) = outcome) AND (${DATABASE}) = $3 AS is_equal
  FROM unnest($1::text[], $2::text[]) AS _ (id, outcome)`;

/**
 * Tells whether a standby has the history of the primary. Positions alone do not: a standby that was ahead of the one that
 * was promoted lacks what the new primary wrote at the same positions. So transactions that do nothing are committed or
 * aborted at random on the primary, and a standby has its history if it has their outcomes. That needs no table and no
 * permission.
 */
export class History {
  private primary: bigint | undefined;
  private mark: Promise<Mark> | undefined;
  private madeAt = -Infinity;

  constructor(private readonly config: pg.ClientConfig) {}

  /**
   * `standby` is a connection to it. Rejects while the standby has not replayed the transactions yet, which are as new as it
   * says: those before prove nothing of a standby that has followed another one since.
   */
  async isShared(primary: bigint, standby: pg.ClientBase, since: number): Promise<boolean> {
    if (this.primary !== primary || this.madeAt < since) this.forget();
    this.primary = primary;
    if (!this.mark) {
      this.madeAt = performance.now();
      this.mark = this.make(primary);
    }
    const mark = this.mark;
    mark.catch(() => {
      if (this.mark === mark) this.forget();
    });
    const { ids, outcomes, database } = await mark;
    const { rows } = await standby.query<{ is_equal: boolean | null }>(COMPARE, [ids, outcomes, database]);
    if (rows[0]?.is_equal === null) this.forget();
    return rows[0]?.is_equal === true;
  }

  private forget(): void {
    this.mark = undefined;
  }

  private async make(primary: bigint): Promise<Mark> {
    const client = new RowParsingClient(this.config);
    try {
      return await withTimeout(write(client, primary), TIMEOUT_MS, () => {
        throw new Error('the primary does not answer');
      });
    } finally {
      destroyConnection(client);
    }
  }
}

async function write(client: pg.Client, primary: bigint): Promise<Mark> {
  await client.connect();
  const outcomes = Array.from({ length: TRANSACTIONS }, () => (randomInt(2) === 0 ? 'committed' : 'aborted'));
  const transactions = outcomes.map(
    (outcome) =>
      `BEGIN; SELECT pg_current_xact_id()::text AS id; ${outcome === 'committed' ? 'COMMIT' : 'ROLLBACK'}`,
  );
  const results = (await client.query(
    [`SELECT (${SERVER})::text AS server, (${DATABASE}) AS database`, ...transactions].join(';'),
  )) as unknown as pg.QueryResult<{ server?: string; database?: string; id?: string }>[];
  const rows = results.flatMap((result) => result.rows);
  if (rows[0]?.server !== String(primary)) throw new Error('the primary has changed');
  return { database: rows[0].database ?? '', outcomes, ids: rows.flatMap(({ id }) => id ?? []) };
}
