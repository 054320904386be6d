import type { ListOrdersQuery, ListPetsQuery, NewOrder, NewPet, Order, OrderChange, Pet } from './openapi.js';
import type { Argument, ItemOf, ListPath, Method, PathOf, RequestOf, ResultOf } from './operations.js';
import type { CallOptions, Settings } from './settings.js';
import { Transport } from './transport.js';

// The public API of the package, together with the class below.
export { ApiError, type ClientCode, type Outcome } from './api-error.js';
export type * from './openapi.js';
export type { CallOptions, Deprecation, Limits, Settings } from './settings.js';

/** A client of the animal store. */
export class AnimalStore {
  private readonly transport: Transport;

  constructor(settings: Settings) {
    this.transport = new Transport(settings);
  }

  /** Calls any operation of the document: `store.call('POST', '/store/orders', { body: { petId: 7n } })`. */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[request]: Argument<RequestOf<M, P>>
  ): Promise<ResultOf<M, P>> {
    return (await this.transport.send<ResultOf<M, P>>({ ...request, method, template: path })).body;
  }

  /**
   * Iterates over any list of the document, page by page: `for await (const pet of store.pages('/pets'))`. The next page
   * begins after the last id; the `Link` header only tells whether there is one, so that the key is never sent to another
   * host. Without the header, the last page is the empty one.
   */
  async *pages<P extends ListPath>(
    path: P,
    query?: RequestOf<'GET', P>['query'],
    ...[options]: Argument<Omit<RequestOf<'GET', P>, 'query'>>
  ): AsyncGenerator<ItemOf<P>, void, undefined> {
    let position: { after?: bigint } = {};
    for (;;) {
      const page = { ...options, method: 'GET', template: path, query: { ...query, ...position } } as const;
      const { body, headers } = await this.transport.send<readonly ItemOf<P>[]>(page);
      yield* body;
      const after = body.at(-1)?.id;
      if (after === undefined || !(headers.get('link') ?? 'rel="next"').includes('rel="next"')) return;
      if (after === position.after)
        throw new Error('The next page is the same page again. A proxy or a cache may ignore the query.');
      position = { after };
    }
  }

  /** Iterates over all animals that match: `for await (const pet of store.pets())`. */
  pets(query?: ListPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    return this.pages('/pets', query, options);
  }

  /** Lists animals in ascending order of id, a page at a time. */
  async listPets(query: ListPetsQuery = {}, options?: CallOptions): Promise<readonly Pet[]> {
    return this.call('GET', '/pets', { ...options, query });
  }

  /** Adds an animal and assigns its id. */
  async createPet(newPet: NewPet, options?: CallOptions): Promise<Pet> {
    return this.call('POST', '/pets', { ...options, body: newPet });
  }

  /** @deprecated To be removed on 5 December 2030. Use `listPets` with `ids` instead. */
  async getPet(petId: bigint, options?: CallOptions): Promise<Pet> {
    return this.call('GET', '/pets/{petId}', { ...options, path: { petId } });
  }

  /** @experimental Iterates over all orders that match: `for await (const order of store.orders())`. */
  orders(query?: ListOrdersQuery, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    return this.pages('/store/orders', query, options);
  }

  /** @experimental Lists orders in ascending order of id, a page at a time. */
  async listOrders(query: ListOrdersQuery = {}, options?: CallOptions): Promise<readonly Order[]> {
    return this.call('GET', '/store/orders', { ...options, query });
  }

  /** @experimental Orders an animal, which becomes `pending`. */
  async createOrder(newOrder: NewOrder, options?: CallOptions): Promise<Order> {
    return this.call('POST', '/store/orders', { ...options, body: newOrder });
  }

  /** @experimental Returns the order with this id. */
  async getOrder(orderId: bigint, options?: CallOptions): Promise<Order> {
    return this.call('GET', '/store/orders/{orderId}', { ...options, path: { orderId } });
  }

  /** @experimental Changes the fields that are given. With a complete order, the animal is `sold`. */
  async updateOrder(orderId: bigint, orderChange: OrderChange, options?: CallOptions): Promise<Order> {
    return this.call('PATCH', '/store/orders/{orderId}', { ...options, path: { orderId }, body: orderChange });
  }

  /** @experimental Deletes an order: the animal becomes `available` again. */
  async deleteOrder(orderId: bigint, options?: CallOptions): Promise<void> {
    return this.call('DELETE', '/store/orders/{orderId}', { ...options, path: { orderId } });
  }
}
