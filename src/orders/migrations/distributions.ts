import { distribution } from '../../database/citus.js';

/** Beside their animals. A table that another one refers to cannot be distributed, so the reference is away meanwhile. */
export const ordersDistributions = [
  distribution('ReleasePets1796000000000', [
    'ALTER TABLE orders DROP CONSTRAINT orders_pet_id_fkey',
    'ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD CONSTRAINT orders_pkey PRIMARY KEY (id, pet_id)',
  ]),
  distribution('DistributeOrders1796000000002', [
    `SELECT create_distributed_table('orders', 'pet_id', colocate_with := 'pets')`,
    'ALTER TABLE orders ADD CONSTRAINT orders_pet_id_fkey FOREIGN KEY (pet_id) REFERENCES pets (id)',
  ]),
];
