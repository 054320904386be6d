import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { startEmptyDatabase } from '../../../test/support/empty-database.js';
import type { EmbeddedDatabase } from './embedded-database.js';
import { runHousekeeping } from './housekeeping.js';

describe('keepHouse', () => {
  let database: EmbeddedDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    pool = new database.driver.Pool();
  });

  afterAll(async () => {
    await pool.end();
    await database.close();
  });

  const state = async () => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query(`
      SELECT redo_lsn::text AS checkpoint, (SELECT sum(vacuum_count)::int FROM pg_stat_user_tables) AS vacuums
      FROM pg_control_checkpoint()`);
    return rows[0];
  };

  it('vacuums and checkpoints only after enough changes', async () => {
    await pool.query('CREATE TABLE log AS SELECT 1 AS n');
    const before = await state();
    await runHousekeeping(pool);
    expect(await state()).toEqual(before);

    await pool.query('INSERT INTO log SELECT n FROM generate_series(1, 2000) n');
    await pool.query("SELECT pg_logical_emit_message(false, '', repeat('x', 17 * 1024 * 1024))");
    await state();
    await runHousekeeping(pool);
    const after = await state();
    expect(after.vacuums).toBe(1);
    expect(after.checkpoint).not.toBe(before.checkpoint);

    await runHousekeeping(pool);
    expect(await state()).toEqual(after);
  });

  it('waits for the current transaction', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    const kept = runHousekeeping(pool);
    expect(pool.waitingCount).toBe(1);
    await client.query('COMMIT');
    client.release();
    await kept;
  });

  it('runs periodically until the pool ends', async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setTimeout', 'clearTimeout'],
    });
    const watched = new database.driver.Pool();
    const query = jest.spyOn(watched, 'query').mockRejectedValue(new Error('not now') as never);
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    jest.advanceTimersByTime(60_000);
    expect(query).toHaveBeenCalledTimes(1);
    await watched.end();
    jest.advanceTimersByTime(600_000);
    expect(query).toHaveBeenCalledTimes(1);
    warn.mockRestore();
    jest.useRealTimers();
  });

  it('emits a warning when it fails', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const broken = { ending: false, query: () => Promise.reject(new Error('no room')) } as unknown as Pool;
    await runHousekeeping(broken);
    expect(warn).toHaveBeenCalledWith('Housekeeping of the embedded database failed: Error: no room');
    warn.mockRestore();
  });
});
