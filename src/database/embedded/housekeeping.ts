import type { Pool } from 'pg';

/** One WAL segment: worth a checkpoint, and quick to replay after a crash. */
const WAL_BYTES = 16 * 1024 * 1024;

const WAL_HAS_GROWN = `
  SELECT FROM pg_control_checkpoint()
  WHERE pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > ${WAL_BYTES}`;

const TABLES_HAVE_CHANGED = `
  SELECT FROM pg_stat_user_tables
  WHERE n_dead_tup + n_mod_since_analyze > 1000 + n_live_tup / 5`;

/**
 * Replaces the background processes of a server: without checkpoints the WAL grows without limit, and without
 * VACUUM ANALYZE the tables bloat and the planner lacks statistics.
 *
 * It uses the pool, so it never runs inside an open transaction.
 */
export async function runHousekeeping(pool: Pool): Promise<void> {
  try {
    if ((await pool.query(TABLES_HAVE_CHANGED)).rowCount) await pool.query('VACUUM ANALYZE');
    if ((await pool.query(WAL_HAS_GROWN)).rowCount) await pool.query('CHECKPOINT');
  } catch (error) {
    // The next run retries. The warning shows why, should it keep failing.
    if (!pool.ending) process.emitWarning(`Housekeeping of the embedded database failed: ${String(error)}`);
  }
}
