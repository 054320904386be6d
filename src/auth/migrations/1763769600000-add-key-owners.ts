import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyOwners1763769600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN owner text, ADD COLUMN note text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN owner, DROP COLUMN note');
  }
}
