import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSampleThings1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sample_things (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sample_things_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT sample_things_name_length CHECK (char_length(name) BETWEEN 1 AND 255)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sample_things');
  }
}
