import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Repository } from 'typeorm';
import { whereSent, within } from '../api/filters.js';
import type { ListOrdersQuery, NewOrderDto, OrderChangeDto } from './dto/order.dto.js';
import { Order } from './order.entity.js';

/** The database access of orders. What changes an order is part of a transaction, since its animal changes too. */
@Injectable()
export class OrdersRepository {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  /** One more than a page, if there are more. */
  findPage({ limit, after, petId, complete }: ListOrdersQuery): Promise<Order[]> {
    const where = whereSent<Order>({ petId, complete, id: within([after, MoreThan]) });
    return this.orders.find({ where, order: { id: 'ASC' }, take: limit + 1 });
  }

  findById(id: bigint): Promise<Order | null> {
    return this.orders.findOneBy({ id });
  }

  async insert({ petId, quantity = 1, shipDate }: NewOrderDto, manager: EntityManager): Promise<Order> {
    const order = manager.create(Order, { petId, quantity, shipDate: shipDate ?? null, complete: false });
    await manager.insert(Order, order); // assigns the id
    return order;
  }

  /**
   * The order, which nobody else can change until the transaction ends. On Citus, a row can only be locked by naming its
   * distribution column, which is pet_id. So we read the order first to learn its animal.
   */
  async lock(id: bigint, manager: EntityManager): Promise<Order | null> {
    const order = await manager.findOneBy(Order, { id });
    if (!order) return null;
    return manager.findOne(Order, { where: { id, petId: order.petId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Undefined fields stay as they are. */
  async update({ id, petId }: Order, change: OrderChangeDto, manager: EntityManager): Promise<void> {
    await manager.update(Order, { id, petId }, change);
  }

  async delete({ id, petId }: Order, manager: EntityManager): Promise<void> {
    await manager.delete(Order, { id, petId });
  }
}
