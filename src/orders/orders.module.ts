import { Module } from '@nestjs/common';
import { distribution } from '../database/citus.js';
import { DatabaseModule } from '../database/database.module.js';
import { PetsModule } from '../pets/pets.module.js';
import { CreateOrders1795333027368 } from './migrations/1795333027368-create-orders.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

/**
 * Each order is stored on the same node as its animal. Citus cannot distribute a table that a foreign key refers to, so the
 * key is dropped meanwhile. A page is read from every shard, so there are only eight; more than eight workers are no help.
 */
const distribute = distribution('DistributePetsAndOrders1796000000001', [
  'ALTER TABLE orders DROP CONSTRAINT orders_pet_id_fkey',
  'ALTER TABLE orders DROP CONSTRAINT orders_pkey, ADD CONSTRAINT orders_pkey PRIMARY KEY (id, pet_id)',
  `SELECT create_distributed_table('pets', 'id', shard_count := 8)`,
  `SELECT create_distributed_table('orders', 'pet_id', colocate_with := 'pets')`,
  'ALTER TABLE orders ADD CONSTRAINT orders_pet_id_fkey FOREIGN KEY (pet_id) REFERENCES pets (id)',
]);

/** Orders of animals: the store group. */
@Module({
  imports: [DatabaseModule.forFeature([Order], [CreateOrders1795333027368, distribute]), PetsModule],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class OrdersModule {}
