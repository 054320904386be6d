import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrders1795333027368 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orders (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT orders_pkey PRIMARY KEY,
        pet_id bigint NOT NULL CONSTRAINT orders_pet_id_fkey REFERENCES pets (id),
        quantity integer NOT NULL CONSTRAINT orders_quantity_range CHECK (quantity BETWEEN 1 AND 1000000),
        ship_date timestamptz(3),
        complete boolean NOT NULL
      )`);
    await runner.query('CREATE INDEX orders_pet_id ON orders (pet_id, id)');
    await runner.query('CREATE INDEX orders_complete_id ON orders (complete, id)');
    await runner.query('CREATE UNIQUE INDEX orders_one_open ON orders (pet_id) WHERE NOT complete');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orders');
  }
}
