import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Repository } from 'typeorm';
import { ApiError, notFound } from '../api/errors.js';
import { whereSent, within } from '../api/filters.js';
import { Page } from '../api/pages.js';
import { Database } from '../database/database.js';
import { PetsService } from '../pets/pets.service.js';
import type { ListOrdersQuery, NewOrderDto, OrderChangeDto } from './dto/order.dto.js';
import { Order } from './order.entity.js';
import { animalNotAvailable, orderComplete } from './orders.errors.js';

/** The business rules of orders. An animal's status follows its order, in the same transaction. */
@Injectable()
export class OrdersService {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly pets: PetsService,
    private readonly database: Database,
  ) {}

  async list({ limit, after, petId, complete }: ListOrdersQuery): Promise<Page<Order>> {
    const where = whereSent<Order>({ petId, complete, id: within([after, MoreThan]) });
    return Page.of(await this.orders.find({ where, order: { id: 'ASC' }, take: limit + 1 }), limit);
  }

  async get(id: bigint): Promise<Order> {
    return found(await this.orders.findOneBy({ id }));
  }

  add({ petId, quantity = 1, shipDate }: NewOrderDto, outer?: EntityManager): Promise<Order> {
    return this.database.transaction(outer, async (manager) => {
      if (!(await this.pets.reserve(petId, manager))) throw new ApiError(animalNotAvailable);
      const order = manager.create(Order, { petId, quantity, shipDate: shipDate ?? null, complete: false });
      await manager.insert(Order, order); // assigns the id
      return order;
    });
  }

  update(id: bigint, change: OrderChangeDto, outer?: EntityManager): Promise<Order> {
    return this.database.transaction(outer, async (manager) => {
      const order = await lock(id, manager);
      const { petId } = order;
      const { quantity = order.quantity, shipDate = order.shipDate, complete = order.complete } = change;
      const changed = { ...order, quantity, shipDate, complete };
      if (isDeepStrictEqual(changed, { ...order })) return order; // a copy, since `changed` has no prototype
      if (order.complete) throw new ApiError(orderComplete);
      await manager.update(Order, { id, petId }, change); // undefined fields stay as they are
      if (complete) await this.pets.setStatus(petId, 'sold', manager);
      return changed;
    });
  }

  delete(id: bigint, outer?: EntityManager): Promise<void> {
    return this.database.transaction(outer, async (manager) => {
      const { petId, complete } = await lock(id, manager);
      if (complete) throw new ApiError(orderComplete);
      await manager.delete(Order, { id, petId });
      await this.pets.setStatus(petId, 'available', manager);
    });
  }
}

/**
 * The order, which nobody else can change until the transaction ends. On Citus, a row can only be locked by naming its
 * distribution column, which is pet_id. So we read the order first to learn its animal.
 */
async function lock(id: bigint, manager: EntityManager): Promise<Order> {
  const { petId } = found(await manager.findOneBy(Order, { id }));
  return found(await manager.findOne(Order, { where: { id, petId }, lock: { mode: 'pessimistic_write' } }));
}

function found(order: Order | null): Order {
  if (!order) throw notFound('order');
  return order;
}
