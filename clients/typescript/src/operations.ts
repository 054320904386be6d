// Made from openapi.json by `npm run client`; not to be edited.
import { type Transport, pathOf } from './call.js';
import type { Shapes } from './exact-json.js';
import { pages } from './pages.js';
import type { CallOptions } from './settings.js';

/** An order to add. The service assigns its id; it is not complete. */
export interface NewOrder {
  /** Identifier of the animal. */
  readonly petId: bigint;
  /**
   * The quantity.
   *
   * @defaultValue 1
   */
  readonly quantity?: number;
  /** When the order ships. */
  readonly shipDate?: string;
}

/** An animal to add. The service assigns its id. */
export interface NewPet {
  /** The animal's name. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. */
  readonly categoryId: bigint;
  /** Availability of the animal. */
  readonly status?: PetStatus;
}

/** An order of an animal. */
export interface Order {
  /** Unique identifier assigned by the service on creation. */
  readonly id: bigint;
  /** Identifier of the animal. */
  readonly petId: bigint;
  /** The quantity. */
  readonly quantity: number;
  /** When the order ships. */
  readonly shipDate?: string;
  /** Whether the order is complete, which is final. */
  readonly complete: boolean;
}

/** The fields of an order to change. */
export interface OrderChange {
  /** The quantity. */
  readonly quantity?: number;
  /** When the order ships. */
  readonly shipDate?: string | null;
  /** Completes the order: the animal is sold. */
  readonly complete?: true;
}

export type Orders = readonly Order[];

/** An animal of the catalogue. */
export interface Pet {
  /** Unique identifier assigned by the service on creation. */
  readonly id: bigint;
  /** The animal's name. */
  readonly name: string;
  /** Identifier of the category the animal belongs to. */
  readonly categoryId: bigint;
  /** Availability of the animal. */
  readonly status?: PetStatus;
}

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

export type Pets = readonly Pet[];

/** Query parameters of `listPets`. */
export interface ListPetsQuery {
  /**
   * Maximum number of items returned.
   *
   * @defaultValue 20
   */
  readonly limit?: number;
  /** Return only items whose id is greater: the last id of the previous page. */
  readonly after?: bigint;
  /** Return only animals with this status. */
  readonly status?: PetStatus;
  /** Return only animals with these ids. Those that do not exist are left out. */
  readonly ids?: readonly bigint[];
}

/** Query parameters of `listOrders`. */
export interface ListOrdersQuery {
  /**
   * Maximum number of items returned.
   *
   * @defaultValue 20
   */
  readonly limit?: number;
  /** Return only items whose id is greater: the last id of the previous page. */
  readonly after?: bigint;
  /** Only orders of this animal. */
  readonly petId?: bigint;
  /** Only complete orders, or only open ones. */
  readonly complete?: boolean;
}

/** The error codes documented in this version of the API. */
export type ErrorCode =
  | 'animal_not_available'
  | 'bad_request'
  | 'expired_api_key'
  | 'gone'
  | 'headers_too_large'
  | 'idempotency_key_reused'
  | 'in_use'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_field'
  | 'invalid_idempotency_key'
  | 'invalid_json'
  | 'invalid_parameter'
  | 'missing_api_key'
  | 'missing_field'
  | 'not_found'
  | 'order_complete'
  | 'payload_too_large'
  | 'rate_limited'
  | 'request_timeout'
  | 'service_unavailable'
  | 'unknown_field'
  | 'unknown_parameter'
  | 'unsupported_media_type'
  | 'uri_too_long';

/** Where answers have 64-bit integers. */
export const INT64: Shapes = {
  Order: { id: 'int64', petId: 'int64' },
  Orders: ['Order'],
  Pet: { categoryId: 'int64', id: 'int64' },
  Pets: ['Pet'],
};

/**
 * Stores animals, and lets clients list them, add them, fetch one by its identifier, and order them.
 * **Get a key.** Every operation takes an API key as a bearer token: `Authorization: Bearer pets_…`.
 * The operators of the service issue keys. On the page at `/docs`, press *Authorize* and paste yours:
 * the browser keeps it until you log out. **Read numbers exactly.** Identifiers are 64-bit integers,
 * as JSON numbers: use a parser that keeps all their digits. **Read failures.** Every failure has the
 * same body: a `code` for programs, a `message` for people, and the `status`. The `X-Request-Id`
 * header names the request in the logs. **Read on.** Lists come a page at a time; the `Link` header
 * has the address of the next page. Deprecated operations send `Deprecation` and `Sunset` headers. The
 * [guide](/docs/guide) explains retries, orders and each error.
 */
export class Operations {
  constructor(private readonly transport: Transport) {}

  /** Iterates over all items of `listPets`, fetching page by page: `for await (const … of …)`. */
  pets(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    return pages<Pet>(
      this.transport,
      { operation: 'listPets', method: 'GET', path: '/pets', query, commaSeparated: ['ids'], int64: 'Pets' },
      options,
    );
  }

  /**
   * List all animals
   *
   * Lists animals in ascending order of id, a page at a time.
   */
  async listPets(query: ListPetsQuery = {}, options?: CallOptions): Promise<Pets> {
    return (
      await this.transport.send<Pets>(
        {
          operation: 'listPets',
          method: 'GET',
          path: '/pets',
          query,
          commaSeparated: ['ids'],
          int64: 'Pets',
        },
        options,
      )
    ).body;
  }

  /**
   * Add an animal
   *
   * Adds an animal and assigns its id.
   */
  async createPet(newPet: NewPet, options?: CallOptions): Promise<Pet> {
    return (
      await this.transport.send<Pet>(
        { operation: 'createPet', method: 'POST', path: '/pets', body: newPet, int64: 'Pet' },
        options,
      )
    ).body;
  }

  /**
   * Get an animal
   *
   * @deprecated This operation is to be removed on 5 December 2030. Use `listPets` with the `status`
   * filter instead, or with `ids` to look up animals by id.
   */
  async getPet(petId: bigint, options?: CallOptions): Promise<Pet> {
    return (
      await this.transport.send<Pet>(
        { operation: 'getPet', method: 'GET', path: pathOf`/pets/${petId}`, int64: 'Pet' },
        options,
      )
    ).body;
  }

  /** Iterates over all items of `listOrders`, fetching page by page: `for await (const … of …)`. */
  orders(query: ListOrdersQuery = {}, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    return pages<Order>(
      this.transport,
      { operation: 'listOrders', method: 'GET', path: '/store/orders', query, int64: 'Orders' },
      options,
    );
  }

  /**
   * List all orders
   *
   * Lists orders in ascending order of id, a page at a time.
   *
   * @experimental
   */
  async listOrders(query: ListOrdersQuery = {}, options?: CallOptions): Promise<Orders> {
    return (
      await this.transport.send<Orders>(
        { operation: 'listOrders', method: 'GET', path: '/store/orders', query, int64: 'Orders' },
        options,
      )
    ).body;
  }

  /**
   * Order an animal
   *
   * Adds an order and assigns its id. The animal becomes `pending`.
   *
   * @experimental
   */
  async createOrder(newOrder: NewOrder, options?: CallOptions): Promise<Order> {
    return (
      await this.transport.send<Order>(
        { operation: 'createOrder', method: 'POST', path: '/store/orders', body: newOrder, int64: 'Order' },
        options,
      )
    ).body;
  }

  /**
   * Get an order
   *
   * Returns the order with this id.
   *
   * @experimental
   */
  async getOrder(orderId: bigint, options?: CallOptions): Promise<Order> {
    return (
      await this.transport.send<Order>(
        { operation: 'getOrder', method: 'GET', path: pathOf`/store/orders/${orderId}`, int64: 'Order' },
        options,
      )
    ).body;
  }

  /**
   * Change an order
   *
   * Changes the fields that are sent. With a complete order, the animal is `sold`.
   *
   * @experimental
   */
  async updateOrder(orderId: bigint, orderChange: OrderChange, options?: CallOptions): Promise<Order> {
    return (
      await this.transport.send<Order>(
        {
          operation: 'updateOrder',
          method: 'PATCH',
          path: pathOf`/store/orders/${orderId}`,
          body: orderChange,
          int64: 'Order',
        },
        options,
      )
    ).body;
  }

  /**
   * Delete an order
   *
   * The animal becomes `available` again.
   *
   * @experimental
   */
  async deleteOrder(orderId: bigint, options?: CallOptions): Promise<void> {
    await this.transport.send<void>(
      {
        operation: 'deleteOrder',
        method: 'DELETE',
        path: pathOf`/store/orders/${orderId}`,
        mayBeEmpty: true,
      },
      options,
    );
  }
}
