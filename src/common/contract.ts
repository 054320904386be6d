// Values that the code enforces and the OpenAPI document states.

/** The largest parts of a request. */
export const SIZE_LIMITS = {
  bodyBytes: 16_384,
  urlBytes: 8_192,
  headerBytes: 16_384,
} as const;

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';

/** The service in WWW-Authenticate, in traces, in Redis and among PostgreSQL's connections. */
export const SERVICE_NAME = 'animal-store';

export const KEY_PREFIX = 'pets_';
