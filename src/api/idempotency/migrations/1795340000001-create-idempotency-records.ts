import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyRecords1795340000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Planned on a table of no pages, the prepared look-up would read all rows until the next ANALYZE.
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
