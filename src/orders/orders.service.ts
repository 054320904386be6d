import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError, notFound } from '../api/errors.js';
import { Page } from '../api/pages.js';
import { Database } from '../database/database.js';
import { PetsService } from '../pets/pets.service.js';
import type { ListOrdersQuery, NewOrderDto, OrderChangeDto } from './dto/order.dto.js';
import type { Order } from './order.entity.js';
import { animalNotAvailable, orderComplete } from './orders.errors.js';
import { OrdersRepository } from './orders.repository.js';

/** The business rules of orders. An animal's status follows its order, in the same transaction. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly pets: PetsService,
    private readonly database: Database,
  ) {}

  async list(query: ListOrdersQuery): Promise<Page<Order>> {
    return Page.of(await this.orders.findPage(query), query.limit);
  }

  async get(id: bigint): Promise<Order> {
    return found(await this.orders.findById(id));
  }

  add(newOrder: NewOrderDto, outer?: EntityManager): Promise<Order> {
    return this.database.transaction(outer, async (manager) => {
      if (!(await this.pets.reserve(newOrder.petId, manager))) throw new ApiError(animalNotAvailable);
      return this.orders.insert(newOrder, manager);
    });
  }

  update(id: bigint, change: OrderChangeDto, outer?: EntityManager): Promise<Order> {
    return this.database.transaction(outer, async (manager) => {
      const order = found(await this.orders.lock(id, manager));
      const { quantity = order.quantity, shipDate = order.shipDate, complete = order.complete } = change;
      const changed = { ...order, quantity, shipDate, complete };
      if (isDeepStrictEqual(changed, { ...order })) return order;
      if (order.complete) throw new ApiError(orderComplete);
      await this.orders.update(order, change, manager);
      if (complete) await this.pets.setStatus(order.petId, 'sold', manager);
      return changed;
    });
  }

  delete(id: bigint, outer?: EntityManager): Promise<void> {
    return this.database.transaction(outer, async (manager) => {
      const order = found(await this.orders.lock(id, manager));
      if (order.complete) throw new ApiError(orderComplete);
      await this.orders.delete(order, manager);
      await this.pets.setStatus(order.petId, 'available', manager);
    });
  }
}

function found(order: Order | null): Order {
  if (!order) throw notFound('order');
  return order;
}
