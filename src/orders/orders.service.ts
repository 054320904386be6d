import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { notFound } from '../api/errors/api-error.js';
import type { Page } from '../api/paging/page.js';
import { Transactions } from '../database/transactions/transactions.js';
import { PetsService } from '../pets/pets.service.js';
import type { ListOrdersQuery } from './dto/list-orders.query.js';
import type { NewOrderDto } from './dto/new-order.dto.js';
import type { OrderChangeDto } from './dto/order-change.dto.js';
import type { Order } from './order.entity.js';
import { animalNotAvailable, orderComplete } from './orders.errors.js';
import { OrdersRepository } from './orders.repository.js';

/** The business rules of orders. An animal's status follows its order, in the same transaction. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly pets: PetsService,
    private readonly transactions: Transactions,
  ) {}

  list(query: ListOrdersQuery): Promise<Page<Order>> {
    return this.orders.findPage(query);
  }

  async get(id: bigint): Promise<Order> {
    return found(await this.orders.findById(id));
  }

  add(newOrder: NewOrderDto): Promise<Order> {
    return this.transactions.run(async (transaction) => {
      const order = await this.orders.insert(newOrder, transaction);
      if (!(await this.pets.reserve(order.petId, transaction))) throw animalNotAvailable();
      return order;
    });
  }

  update(id: bigint, change: OrderChangeDto): Promise<Order> {
    return this.transactions.run(async (transaction) => {
      const order = await this.orders.changeOpen(id, change, transaction);
      if (!order) return unchanged(change, found(await this.orders.findById(id, transaction)));
      if (order.complete) await this.pets.setStatus(order.petId, 'sold', transaction);
      return order;
    });
  }

  delete(id: bigint): Promise<void> {
    return this.transactions.run(async (transaction) => {
      const order = await this.orders.deleteOpen(id, transaction);
      if (!order) {
        found(await this.orders.findById(id, transaction));
        throw orderComplete();
      }
      await this.pets.setStatus(order.petId, 'available', transaction);
    });
  }
}

function found(order: Order | null): Order {
  if (!order) throw notFound('order');
  return order;
}

/** @throws if the change of a complete order would change it */
function unchanged({ quantity, shipDate, complete }: OrderChangeDto, order: Order): Order {
  const changed = {
    ...order,
    quantity: quantity ?? order.quantity,
    shipDate: shipDate === undefined ? order.shipDate : shipDate,
    complete: complete ?? order.complete,
  };
  if (!isDeepStrictEqual({ ...order }, changed)) throw orderComplete();
  return order;
}
