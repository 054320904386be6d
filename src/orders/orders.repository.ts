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

  findById(id: bigint, transaction?: Transaction): Promise<Order | null> {
    const orders = transaction?.withRepository(this.orders) ?? this.orders;
    return orders.readOne({ id });
  }

  insert({ petId, quantity, shipDate }: NewOrderDto, transaction: Transaction): Promise<Order> {
    const orders = transaction.withRepository(this.orders);
    return orders.add({ petId, quantity, shipDate: shipDate ?? null, complete: false });
  }

  /** Null if no order with this id is open. */
  changeOpen(id: bigint, change: OrderChangeDto, transaction: Transaction): Promise<Order | null> {
    return transaction.withRepository(this.orders).change({ id, complete: false }, change);
  }

  /** Null if no order with this id was open. */
  deleteOpen(id: bigint, transaction: Transaction): Promise<Order | null> {
    return transaction.withRepository(this.orders).discard({ id, complete: false });
  }
}
