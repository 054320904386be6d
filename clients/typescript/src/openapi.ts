// Made from openapi.json by "npm run client"; not to be edited.
export type paths = Record<string, never>;
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
    readonly listPetsQuery: {
      /** @description Maximum number of items returned. */
      readonly limit?: number;
      /** @description Return only items whose id is greater: the last id of the previous page. */
      readonly after?: bigint;
      /** @description Return only animals with this status. */
      readonly status?: components['schemas']['PetStatus'];
      /** @description Return only animals with these ids, of those that exist. Commas may separate them. */
      readonly ids?: readonly bigint[];
    };
    readonly listOrdersQuery: {
      /** @description Maximum number of items returned. */
      readonly limit?: number;
      /** @description Return only items whose id is greater: the last id of the previous page. */
      readonly after?: bigint;
      /** @description Only orders of this animal. */
      readonly petId?: bigint;
      /** @description Only complete orders, or only open ones. */
      readonly complete?: boolean;
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
export type ListPetsQuery = components['schemas']['listPetsQuery'];
export type ListOrdersQuery = components['schemas']['listOrdersQuery'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** The members of answers that are 64-bit integers. */
export const INT64: ReadonlySet<string> = new Set(['id', 'categoryId', 'petId']);
