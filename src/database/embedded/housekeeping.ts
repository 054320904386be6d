import type { Pool } from 'pg';

/** One file of the log: enough to be worth a checkpoint, and little to replay after a crash. */
const LOG_BYTES = 16 * 1024 * 1024;

const LOG_HAS_GROWN = `
  SELECT FROM pg_control_checkpoint()
  WHERE pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > ${LOG_BYTES}`;

const TABLES_HAVE_CHANGED = `
  SELECT FROM pg_stat_user_tables
  WHERE n_dead_tup + n_mod_since_analyze > 1000 + n_live_tup / 5`;

/**
 * Does the work of the background processes of a server, which PGlite does not have: without a checkpoint the
 * log grows without limit, without VACUUM ANALYZE the tables swell and the planner guesses.
 *
 * It goes through the pool, so that it never comes between the statements of a transaction.
 */
export async function keepHouse(pool: Pool): Promise<void> {
  try {
    if ((await pool.query(TABLES_HAVE_CHANGED)).rowCount) await pool.query('VACUUM ANALYZE');
    if ((await pool.query(LOG_HAS_GROWN)).rowCount) await pool.query('CHECKPOINT');
  } catch (error) {
    // The next time will do; but if it never works, somebody should be able to find out why.
    if (!pool.ending) process.emitWarning(`Housekeeping of the embedded database failed: ${String(error)}`);
  }
}
