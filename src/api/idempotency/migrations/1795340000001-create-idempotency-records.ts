import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyRecords1795340000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // VACUUM must not truncate the table when it is empty: PostgreSQL would plan the prepared look-up as a scan of all rows,
    // and keep this plan until the next ANALYZE, however much the table grows.
    await runner.query(`
      CREATE TABLE idempotency_records (
        digest bytea CONSTRAINT idempotency_records_pkey PRIMARY KEY,
        body_hash bytea NOT NULL,
        status smallint NOT NULL,
        location text,
        body text,
        created_at timestamptz NOT NULL DEFAULT now()
      ) WITH (vacuum_truncate = false)`);
    await runner.query('CREATE INDEX idempotency_records_created_at ON idempotency_records (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_records');
  }
}
