import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddReadOnlyKeys1795910400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // During an update, the former release still issues keys, and does not name the column: so it needs a default.
    await runner.query('ALTER TABLE api_keys ADD COLUMN read_only boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN read_only');
  }
}
