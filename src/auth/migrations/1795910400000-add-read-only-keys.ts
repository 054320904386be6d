import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddReadOnlyKeys1795910400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The former release, which runs beside this one, does not name the column when it issues a key.
    await runner.query('ALTER TABLE api_keys ADD COLUMN read_only boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN read_only');
  }
}
