// Values that the code enforces and the OpenAPI document states.

/** The largest parts of a request. */
export const SIZE_LIMITS = {
  bodyBytes: 16_384,
  urlBytes: 8_192,
  headerBytes: 16_384,
} as const;

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';

/** The realm of API keys in WWW-Authenticate. */
export const REALM = 'animal-store';
