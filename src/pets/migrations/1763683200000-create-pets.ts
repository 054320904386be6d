import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePets1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pets (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pets_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT pets_name_length CHECK (char_length(name) BETWEEN 1 AND 255),
        category_id bigint NOT NULL,
        status text CONSTRAINT pets_status_known CHECK (status IN ('available', 'pending', 'sold'))
      )`);
    await runner.query('CREATE INDEX pets_status_id ON pets (status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pets');
  }
}
