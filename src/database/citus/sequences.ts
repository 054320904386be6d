import type { ClientBase } from 'pg';
import type { QueryRunner } from 'typeorm';
import { DATABASE_LIMITS } from '../limits.js';
import { refuse } from './refuse.js';

/** More ids than are given until the coordinator has flushed its write-ahead log: its WAL writer does so every 200 ms. */
const AHEAD = 16_384;
/** The key of the advisory lock: any number, but the same in every release. */
const LOCK = 7_203_115_945;

const SEQUENCES = `(
  SELECT seqrelid::regclass FROM pg_sequence
    JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = seqrelid AND deptype = 'i'
    JOIN pg_dist_partition ON refobjid = logicalrelid) AS sequences (id)`;

/** The default of a block is taken from the id just given, by currval(), which needs USAGE, and setval() needs UPDATE. */
const REMEDIES = ask(`
  SELECT format('GRANT USAGE, UPDATE ON SEQUENCE %s TO %I', string_agg(id::text, ', '), current_user) AS remedy
  FROM ${SEQUENCES}
  WHERE NOT (has_sequence_privilege(id, 'USAGE') AND has_sequence_privilege(id, 'UPDATE')) HAVING count(*) > 0
  UNION ALL
  SELECT format('GRANT SELECT, INSERT ON %s TO %I', oid::regclass, current_user) FROM pg_class
  WHERE oid = 'sequences_ahead'::regclass
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT'))
  UNION ALL
  SELECT format('TRUNCATE %1$s; ALTER TABLE %1$s SET UNLOGGED', oid::regclass) FROM pg_class
  WHERE oid = 'sequences_ahead'::regclass AND relpersistence <> 'u'`);

const ARE_AHEAD = ask('SELECT FROM sequences_ahead LIMIT 1');

/** One transaction, whose commit flushes what setval() has logged. Each statement sees who had the lock before. */
const MOVE_ON = ask(`
  SELECT pg_advisory_xact_lock(${LOCK});
  SELECT setval(id, coalesce(pg_sequence_last_value(id), 0) + ${AHEAD}) FROM ${SEQUENCES}
  WHERE NOT EXISTS (SELECT FROM sequences_ahead);
  INSERT INTO sequences_ahead SELECT now() WHERE NOT EXISTS (SELECT FROM sequences_ahead)`);

/**
 * Has a row while the sequences are known to be ahead of the ids that workers store, as they are before tables are
 * distributed. PostgreSQL empties unlogged tables when it recovers from a crash, and on a standby that is promoted.
 */
export async function watchSequences(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE UNLOGGED TABLE IF NOT EXISTS sequences_ahead AS
    SELECT now() AS since WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE partmethod = 'h')`);
}

/** A crash ends all connections, and may take back ids that workers have stored. So new connections look for that. */
export async function bringSequencesAhead(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ remedy: string }>(REMEDIES);
  if (rows.length > 0)
    refuse(
      `sequences that the role in DATABASE_URL can move on after a crash: run ${rows.map(({ remedy }) => remedy).join('; ')}`,
    );
  const { rowCount } = await client.query(ARE_AHEAD);
  if (rowCount === 0) await client.query(MOVE_ON);
}

function ask(text: string): { text: string; query_timeout: number } {
  return { text, query_timeout: DATABASE_LIMITS.connectMs };
}
