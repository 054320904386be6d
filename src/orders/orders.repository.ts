import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Statements } from '../database/statements.js';
import type { ListOrdersQuery, NewOrderDto, OrderChangeDto } from './dto/order.dto.js';
import { Order } from './order.entity.js';

/** The database access of orders. What changes an order is part of a transaction, since its animal changes too. */
@Injectable()
export class OrdersRepository {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    private readonly statements: Statements,
  ) {}

  /** One more than a page, if there are more. */
  findPage({ limit, after, petId, complete }: ListOrdersQuery): Promise<Order[]> {
    return this.statements.findPage(this.orders, { petId, complete }, { after, limit: limit + 1 });
  }

  findById(id: bigint): Promise<Order | null> {
    return this.statements.findById(this.orders, id);
  }

  insert({ petId, quantity, shipDate }: NewOrderDto, manager: EntityManager): Promise<Order> {
    const values = { petId, quantity, shipDate: shipDate ?? null, complete: false };
    return this.statements.insert(this.orders, values, manager);
  }

  /** The order, which nobody else can change until the transaction ends. */
  async lock(id: bigint, manager: EntityManager): Promise<Order | null> {
    const order = await this.findById(id); // a distributed database finds what it locks by the animal
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
