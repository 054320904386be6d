import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrationOptions } from '../../src/database/data-source-options.js';
import { migrate } from '../../src/database/migrator.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { describeInside } from './support/deployment.js';

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
});
