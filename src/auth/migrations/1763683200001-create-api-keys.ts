import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeys1763683200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT api_keys_pkey PRIMARY KEY,
        name text NOT NULL,
        hash bytea NOT NULL,
        hint text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        last_used_at timestamptz
      )`);
    await runner.query('CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
