import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { PetsModule } from '../pets/pets.module.js';
import { CreateOrders1795333027368 } from './migrations/1795333027368-create-orders.js';
import { ordersDistributions } from './migrations/distributions.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

/** Orders of animals: the store group. */
@Module({
  imports: [DatabaseModule.forFeature([Order], [CreateOrders1795333027368], ordersDistributions), PetsModule],
  controllers: [OrdersController],
  providers: [OrdersService, OrdersRepository],
})
export class OrdersModule {}
