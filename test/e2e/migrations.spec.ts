import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrationOptions } from '../../src/database/data-source-options.js';
import { isDatabaseOutage } from '../../src/database/database-errors.js';
import { migrate } from '../../src/database/migrator.js';
import { createDatabase, describeOnServer, type TestDatabase } from './support/database.js';
import { describeInside } from './support/deployment.js';
import { Wire } from './support/wire.js';

class CreateThings1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE things (id bigint PRIMARY KEY)');
    await runner.query('INSERT INTO things SELECT generate_series(1, 1000)');
  }
  async down(): Promise<void> {}
}

/** CREATE INDEX CONCURRENTLY cannot run in a transaction. */
class IndexThings1700000000001 implements MigrationInterface {
  readonly transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX CONCURRENTLY things_id ON things (id)');
  }
  async down(): Promise<void> {}
}

class Broken1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO things VALUES (-1)');
    await runner.query('SELECT broken');
  }
  async down(): Promise<void> {}
}

/** Longer than other statements of a start may take. */
class SleepOnThings1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_sleep(4.5)');
    await runner.query(
      "CREATE TABLE slept AS SELECT current_setting('idle_session_timeout') AS idle_session_timeout",
    );
  }
  async down(): Promise<void> {}
}

class DropThings1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE things');
  }
  async down(): Promise<void> {}
}

describeInside('Migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const query = async (sql: string): Promise<unknown> => {
    const dataSource = await new DataSource(migrationOptions(database.connection)).initialize();
    try {
      return await dataSource.query(sql);
    } finally {
      await dataSource.destroy();
    }
  };

  it('run once, in order of their timestamps', async () => {
    const migrations = [IndexThings1700000000001, CreateThings1700000000000];
    expect(await migrate(database.connection, migrations)).toEqual([
      'CreateThings1700000000000',
      'IndexThings1700000000001',
    ]);
    expect(await migrate(database.connection, migrations)).toEqual([]);
  });

  it('roll back when they fail, and keep those before', async () => {
    const migrations = [CreateThings1700000000000, Broken1700000000002];
    await expect(migrate(database.connection, migrations)).rejects.toThrow('broken');
    await expect(migrate(database.connection, migrations)).rejects.toThrow('broken');
    expect(await query('SELECT min(id) AS min, count(*) AS count FROM things')).toEqual([
      { min: 1n, count: 1000n },
    ]);
  });

  it('run once when many replicas start together', async () => {
    // Only one process at a time can open the embedded engine.
    const replicas = database.connection.kind === 'server' ? 8 : 1;
    const migrations = [CreateThings1700000000000, IndexThings1700000000001];
    const ran = await Promise.all(
      Array.from({ length: replicas }, () => migrate(database.connection, migrations)),
    );
    expect(ran.flat()).toEqual(['CreateThings1700000000000', 'IndexThings1700000000001']);
  });

  describeOnServer('that take long', () => {
    it('succeed, and leave the lock to others if their process is gone', async () => {
      await migrate(database.connection, [SleepOnThings1700000000004]);
      expect(await query('SELECT * FROM slept')).toEqual([{ idle_session_timeout: '1min' }]);
    });
  });

  describeOnServer('that have to wait', () => {
    let other: pg.Client;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    beforeEach(async () => {
      warn.mockClear();
      const { connection } = database;
      if (connection.kind !== 'server') throw new Error('DATABASE_URL is not set');
      other = new pg.Client({ connectionString: connection.directUrl, application_name: 'some\u202eone' });
      await other.connect();
    });
    afterEach(async () => {
      await other.end();
      jest.useRealTimers();
    });

    const warning = async (): Promise<string> => {
      while (warn.mock.calls.length === 0) await delay(20);
      return String(warn.mock.calls[0]?.[0]);
    };

    it('log which process holds the lock', async () => {
      await other.query('SELECT pg_advisory_lock(7203115944)');
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const migrated = migrate(database.connection, [CreateThings1700000000000]);
      expect(await warning()).toMatch(
        new RegExp(
          String.raw`^Waiting for \d+ s for another process to migrate the database: server process ${rows[0]!.pid} ` +
            String.raw`holds the lock \(some\S+one, .*idle, connected since \d{4}-\d\d-\d\dT[\d:]{8}Z\)\.$`,
        ),
      );
      await other.query('SELECT pg_advisory_unlock(7203115944)');
      expect(await migrated).toEqual(['CreateThings1700000000000']);
    });

    it('let others write meanwhile', async () => {
      await migrate(database.connection, [CreateThings1700000000000]);
      await other.query('BEGIN; INSERT INTO things VALUES (-1)');
      const migrated = migrate(database.connection, [CreateThings1700000000000, DropThings1700000000003]);
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'things'::regclass`;
      while ((await other.query(waiting)).rowCount === 0) await delay(20);
      await query("SET statement_timeout = '5s'; INSERT INTO things VALUES (-2)");
      await other.query('ROLLBACK');
      expect(await migrated).toEqual(['DropThings1700000000003']);
    });

    it('for an answer that never comes fail after some seconds, and free the lock', async () => {
      const { connection } = database;
      if (connection.kind !== 'server') throw new Error('DATABASE_URL is not set');
      const wire = await Wire.to(connection.directUrl);
      try {
        await other.query('SELECT pg_advisory_lock(7203115944)');
        const migrated = migrate({ ...connection, directUrl: wire.url }, [CreateThings1700000000000]);
        const failed = migrated.catch((error: unknown) => error);
        await warning();
        wire.loseAnswers();
        await other.query('SELECT pg_advisory_unlock(7203115944)');
        const locked = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        while ((await other.query(locked)).rowCount === 0) await delay(20);
        expect(isDatabaseOutage(await failed)).toBe(true);
        expect(await migrate(connection, [CreateThings1700000000000])).toEqual(['CreateThings1700000000000']);
      } finally {
        await wire.close();
      }
    });

    it('log how to find what blocks them', async () => {
      await migrate(database.connection, [CreateThings1700000000000]);
      await other.query('BEGIN; LOCK TABLE things');
      jest.useFakeTimers({
        doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
      });
      const migrated = migrate(database.connection, [CreateThings1700000000000, DropThings1700000000003]);
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'things'::regclass`;
      while ((await other.query(waiting)).rowCount === 0) await delay(20);
      jest.advanceTimersByTime(10_000);
      const [look] = /SELECT pid.*$/.exec(await warning()) ?? [];
      const { rows } = await other.query(look!);
      expect(rows).toContainEqual(expect.objectContaining({ query: look }));
      await other.query('ROLLBACK');
      expect(await migrated).toEqual(['DropThings1700000000003']);
    });
  });
});
