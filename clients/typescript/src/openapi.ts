// Made from openapi.json by "npm run client"; not to be edited.
export interface paths {
  readonly '/pets': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List all animals
     * @description In ascending order of id, a page at a time.
     */
    readonly get: operations['listPets'];
    readonly put?: never;
    /**
     * Add an animal
     * @description Adds an animal and assigns its id.
     */
    readonly post: operations['createPet'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/pets/{petId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an animal
     * @deprecated
     * @description **Deprecated: this operation is to be removed on 5 December 2030.** Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.
     */
    readonly get: operations['getPet'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/store/orders': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List all orders
     * @description In ascending order of id, a page at a time.
     */
    readonly get: operations['listOrders'];
    readonly put?: never;
    /**
     * Order an animal
     * @description Assigns the id. The animal becomes `pending`.
     */
    readonly post: operations['createOrder'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/store/orders/{orderId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Get an order
     * @description Returns the order with this id.
     */
    readonly get: operations['getOrder'];
    readonly put?: never;
    readonly post?: never;
    /**
     * Delete an order
     * @description The animal becomes `available` again.
     */
    readonly delete: operations['deleteOrder'];
    readonly options?: never;
    readonly head?: never;
    /**
     * Change an order
     * @description Changes the fields that are sent. With a complete order, the animal is `sold`, which is final.
     */
    readonly patch: operations['updateOrder'];
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /**
     * @description Availability of the animal.
     * @enum {string}
     */
    readonly PetStatus: 'available' | 'pending' | 'sold';
    /** @description An animal of the catalogue. */
    readonly Pet: {
      /**
       * Format: int64
       * @description Unique identifier assigned by the service on creation.
       * @example 1
       */
      readonly id: bigint;
      /**
       * @description The animal's name.
       * @example Rex
       */
      readonly name: string;
      /**
       * Format: int64
       * @description Identifier of the category the animal belongs to.
       * @example 1
       */
      readonly categoryId: bigint;
      /** @description Availability of the animal. */
      readonly status?: components['schemas']['PetStatus'];
    };
    /** @description An animal to add. The service assigns its id. */
    readonly NewPet: {
      /**
       * @description The animal's name.
       * @example Rex
       */
      readonly name: string;
      /**
       * Format: int64
       * @description Identifier of the category the animal belongs to.
       * @example 1
       */
      readonly categoryId: bigint;
      /** @description Availability of the animal. */
      readonly status?: components['schemas']['PetStatus'];
    };
    /** @description An order of an animal. */
    readonly Order: {
      /**
       * Format: int64
       * @description Unique identifier assigned by the service on creation.
       * @example 1
       */
      readonly id: bigint;
      /**
       * Format: int64
       * @description Identifier of the animal.
       * @example 1
       */
      readonly petId: bigint;
      /**
       * Format: int32
       * @description How many.
       * @example 2
       */
      readonly quantity: number;
      /**
       * Format: date-time
       * @description When the order ships. Taken is a date-time of RFC 3339 with an offset and one to nine fraction digits or none, of which three count, such as 2026-03-31T14:30:00Z or 2026-03-31T16:30:00.250+02:00, in the years 0001 to 9999 of UTC.
       * @example 2026-03-31T14:30:00.000Z
       */
      readonly shipDate?: string;
      /**
       * @description Whether the order is complete, which is final.
       * @example false
       */
      readonly complete: boolean;
    };
    /** @description An order to add. The service assigns its id; it is not complete. */
    readonly NewOrder: {
      /**
       * Format: int64
       * @description Identifier of the animal.
       * @example 1
       */
      readonly petId: bigint;
      /**
       * Format: int32
       * @description How many; 1 when absent.
       * @example 2
       */
      readonly quantity?: number;
      /**
       * Format: date-time
       * @description When the order ships. Taken is a date-time of RFC 3339 with an offset and one to nine fraction digits or none, of which three count, such as 2026-03-31T14:30:00Z or 2026-03-31T16:30:00.250+02:00, in the years 0001 to 9999 of UTC.
       * @example 2026-03-31T14:30:00.000Z
       */
      readonly shipDate?: string;
    };
    /** @description The fields of an order to change. */
    readonly OrderChange: {
      /**
       * Format: int32
       * @description How many.
       * @example 2
       */
      readonly quantity?: number;
      /**
       * Format: date-time
       * @description When the order ships. Taken is a date-time of RFC 3339 with an offset and one to nine fraction digits or none, of which three count, such as 2026-03-31T14:30:00Z or 2026-03-31T16:30:00.250+02:00, in the years 0001 to 9999 of UTC.
       * @example 2026-03-31T14:30:00.000Z
       */
      readonly shipDate?: string | null;
      /**
       * @description True completes the order: the animal is sold.
       * @example true
       */
      readonly complete?: boolean;
    };
    readonly Pets: readonly components['schemas']['Pet'][];
    readonly Orders: readonly components['schemas']['Order'][];
    /**
     * @description The body of every answer that is not a success.
     * @example {
     *       "code": "not_found",
     *       "message": "There is no such resource.",
     *       "status": 404
     *     }
     */
    readonly Error: {
      /** @description Machine-readable error code. Codes are permanent; new ones may be added. The [guide](/docs/guide#errors) says what to do about each. */
      readonly code: string;
      /** @description Human-readable description. */
      readonly message: string;
      /** @description The HTTP status code of the response. */
      readonly status: number;
    };
    /** @enum {unknown} */
    readonly ErrorCode:
      | 'bad_request'
      | 'invalid_parameter'
      | 'unknown_parameter'
      | 'missing_api_key'
      | 'invalid_api_key'
      | 'expired_api_key'
      | 'request_timeout'
      | 'uri_too_long'
      | 'rate_limited'
      | 'headers_too_large'
      | 'internal_error'
      | 'service_unavailable'
      | 'invalid_json'
      | 'missing_field'
      | 'invalid_field'
      | 'unknown_field'
      | 'invalid_idempotency_key'
      | 'read_only_key'
      | 'idempotency_key_reused'
      | 'payload_too_large'
      | 'unsupported_media_type'
      | 'not_found'
      | 'gone'
      | 'animal_not_available'
      | 'order_complete';
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type PetStatus = components['schemas']['PetStatus'];
export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type Order = components['schemas']['Order'];
export type NewOrder = components['schemas']['NewOrder'];
export type OrderChange = components['schemas']['OrderChange'];
export type Pets = components['schemas']['Pets'];
export type Orders = components['schemas']['Orders'];
export type Error = components['schemas']['Error'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type $defs = Record<string, never>;
export interface operations {
  readonly listPets: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items returned. */
        readonly limit?: number;
        /** @description Return only items whose id is greater: the last id of the previous page. */
        readonly after?: bigint;
        /** @description Return only animals with this status. */
        readonly status?: components['schemas']['PetStatus'];
        /** @description Return only animals with these ids, of those that exist. Commas may separate them. */
        readonly ids?: readonly bigint[];
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of animals. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Pets'];
        };
      };
    };
  };
  readonly createPet: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['NewPet'];
      };
    };
    readonly responses: {
      /** @description The animal that was added. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Pet'];
        };
      };
    };
  };
  readonly getPet: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Identifier of the animal. */
        readonly petId: bigint;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The animal. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Pet'];
        };
      };
    };
  };
  readonly listOrders: {
    readonly parameters: {
      readonly query?: {
        /** @description Maximum number of items returned. */
        readonly limit?: number;
        /** @description Return only items whose id is greater: the last id of the previous page. */
        readonly after?: bigint;
        /** @description Only orders of this animal. */
        readonly petId?: bigint;
        /** @description Only complete orders, or only open ones. */
        readonly complete?: boolean;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page of orders. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Orders'];
        };
      };
    };
  };
  readonly createOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['NewOrder'];
      };
    };
    readonly responses: {
      /** @description The order that was added. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Order'];
        };
      };
    };
  };
  readonly getOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Identifier of the order. */
        readonly orderId: bigint;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The order. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Order'];
        };
      };
    };
  };
  readonly deleteOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Identifier of the order. */
        readonly orderId: bigint;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The order was deleted. */
      readonly 204: {
        headers: {
          readonly [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readonly updateOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Identifier of the order. */
        readonly orderId: bigint;
      };
      readonly cookie?: never;
    };
    /** @description A JSON merge patch (RFC 7396), which may also be sent as `application/merge-patch+json`. */
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['OrderChange'];
      };
    };
    readonly responses: {
      /** @description The changed order. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Order'];
        };
      };
    };
  };
}
export type ListPetsQuery = NonNullable<operations['listPets']['parameters']['query']>;
export type ListOrdersQuery = NonNullable<operations['listOrders']['parameters']['query']>;
/** The names of the operations. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  'GET /pets': 'listPets',
  'POST /pets': 'createPet',
  'GET /pets/{petId}': 'getPet',
  'GET /store/orders': 'listOrders',
  'POST /store/orders': 'createOrder',
  'GET /store/orders/{orderId}': 'getOrder',
  'PATCH /store/orders/{orderId}': 'updateOrder',
  'DELETE /store/orders/{orderId}': 'deleteOrder',
};
/** The members of answers that are 64-bit integers. */
export const INT64: ReadonlySet<string> = new Set(['id', 'categoryId', 'petId']);
