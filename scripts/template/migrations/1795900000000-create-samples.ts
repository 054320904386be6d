import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSamples1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE samples (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT samples_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT samples_name_length CHECK (char_length(name) BETWEEN 1 AND 255),
        open_from timestamptz(3)
      )`);
    await runner.query('CREATE UNIQUE INDEX samples_name_unique ON samples (name)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE samples');
  }
}
