import type { ListOrdersQuery, ListPetsQuery, NewOrder, NewPet, Order, OrderChange, Pet } from './openapi.js';
import { pages } from './pages.js';
import type { CallOptions, Settings } from './settings.js';
import { Transport } from './transport.js';

// The public API of the package, together with the class below.
export { ApiError, type ClientCode, type Outcome } from './api-error.js';
export type * from './openapi.js';
export type { CallOptions, Deprecation, Limits, Settings } from './settings.js';

const PETS = '/pets';
const ORDERS = '/store/orders';

/** A client of the animal store: each operation of the service is a method. */
export class AnimalStore {
  private readonly transport: Transport;

  constructor(settings: Settings) {
    this.transport = new Transport(settings);
  }

  /** Iterates over all animals that match, page by page: `for await (const pet of store.pets())`. */
  pets(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    const call = { operation: 'listPets', method: 'GET', path: PETS, query } as const;
    return pages<Pet>(this.transport, call, options);
  }

  /** Lists animals in ascending order of id, a page at a time. */
  async listPets(query: ListPetsQuery = {}, options?: CallOptions): Promise<readonly Pet[]> {
    return this.transport.send({ operation: 'listPets', method: 'GET', path: PETS, query }, options);
  }

  /** Adds an animal and assigns its id. */
  async createPet(newPet: NewPet, options?: CallOptions): Promise<Pet> {
    return this.transport.send({ operation: 'createPet', method: 'POST', path: PETS, body: newPet }, options);
  }

  /** @deprecated To be removed on 5 December 2030. Use `listPets` with `ids` instead. */
  async getPet(petId: bigint, options?: CallOptions): Promise<Pet> {
    return this.transport.send({ operation: 'getPet', method: 'GET', path: pathOf(PETS, petId) }, options);
  }

  /** @experimental Iterates over all orders that match, page by page: `for await (const order of store.orders())`. */
  orders(query: ListOrdersQuery = {}, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    const call = { operation: 'listOrders', method: 'GET', path: ORDERS, query } as const;
    return pages<Order>(this.transport, call, options);
  }

  /** @experimental Lists orders in ascending order of id, a page at a time. */
  async listOrders(query: ListOrdersQuery = {}, options?: CallOptions): Promise<readonly Order[]> {
    return this.transport.send({ operation: 'listOrders', method: 'GET', path: ORDERS, query }, options);
  }

  /** @experimental Orders an animal, which becomes `pending`. */
  async createOrder(newOrder: NewOrder, options?: CallOptions): Promise<Order> {
    const call = { operation: 'createOrder', method: 'POST', path: ORDERS, body: newOrder } as const;
    return this.transport.send(call, options);
  }

  /** @experimental Returns the order with this id. */
  async getOrder(orderId: bigint, options?: CallOptions): Promise<Order> {
    const call = { operation: 'getOrder', method: 'GET', path: pathOf(ORDERS, orderId) } as const;
    return this.transport.send(call, options);
  }

  /** @experimental Changes the fields that are given. With a complete order, the animal is `sold`. */
  async updateOrder(orderId: bigint, orderChange: OrderChange, options?: CallOptions): Promise<Order> {
    const path = pathOf(ORDERS, orderId);
    const call = { operation: 'updateOrder', method: 'PATCH', path, body: orderChange } as const;
    return this.transport.send(call, options);
  }

  /** @experimental Deletes an order: the animal becomes `available` again. */
  async deleteOrder(orderId: bigint, options?: CallOptions): Promise<void> {
    const call = { operation: 'deleteOrder', method: 'DELETE', path: pathOf(ORDERS, orderId) } as const;
    return this.transport.send(call, options);
  }
}

function pathOf(collection: string, id: bigint): string {
  // With other values, such as `..`, the request could reach another operation.
  if (typeof id !== 'bigint') throw new TypeError('An id is a bigint, such as 7n.');
  return `${collection}/${id}`;
}
