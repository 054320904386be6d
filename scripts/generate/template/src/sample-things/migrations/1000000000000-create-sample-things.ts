import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSampleThings1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sample_things (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sample_things_pkey PRIMARY KEY$columnsInSql$
      )`);
    // $indicesInSql$
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sample_things');
  }
}
