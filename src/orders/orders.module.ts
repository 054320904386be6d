import { Module } from '@nestjs/common';
import { distribution } from '../database/citus.js';
import { DatabaseModule } from '../database/database.module.js';
import { PetsModule } from '../pets/pets.module.js';
import { CreateOrders1795333027368 } from './migrations/1795333027368-create-orders.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

/**
 * Orders stand beside their animals. A table that another one refers to cannot be distributed, so the reference is away
 * meanwhile. A page asks every shard, and as many workers as there are shards can share them.
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
