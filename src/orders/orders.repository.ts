import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Page } from '../api/paging/page.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import type { Transaction } from '../database/transactions/transactions.js';
import type { ListOrdersQuery } from './dto/list-orders.query.js';
import type { NewOrderDto } from './dto/new-order.dto.js';
import type { OrderChangeDto } from './dto/order-change.dto.js';
import { Order } from './order.entity.js';

/** The database access of orders. What changes an order is part of a transaction, since its animal changes too. */
@Injectable()
export class OrdersRepository {
  constructor(@InjectRepository(Order) private readonly orders: BatchedRepository<Order>) {}

  findPage({ limit, after, petId, complete }: ListOrdersQuery): Promise<Page<Order>> {
    return this.orders.readPage({ filters: { petId, complete }, after, limit });
  }

  findById(id: bigint): Promise<Order | null> {
    return this.orders.readOne({ id });
  }

  /** Keeps other changes of the order out until the transaction ends. */
  findAndLock(id: bigint, transaction: Transaction): Promise<Order | null> {
    const orders = transaction.withRepository(this.orders);
    return orders.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  insert({ petId, quantity, shipDate }: NewOrderDto, transaction: Transaction): Promise<Order> {
    const orders = transaction.withRepository(this.orders);
    return orders.add({ petId, quantity, shipDate: shipDate ?? null, complete: false });
  }

  async update(id: bigint, change: OrderChangeDto, transaction: Transaction): Promise<void> {
    await transaction.withRepository(this.orders).update({ id }, change);
  }

  async delete(id: bigint, transaction: Transaction): Promise<void> {
    await transaction.withRepository(this.orders).delete({ id });
  }
}
