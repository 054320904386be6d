import { SIZE_LIMITS } from '../../common/contract.js';

const { bodyBytes, urlBytes, headerBytes } = SIZE_LIMITS;
const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

/** What callers are told about an error, in the document (`when`) and in the guide (`advice`). */
export interface ErrorKind {
  /** Permanent. */
  readonly code: string;
  readonly status: number;
  /** When it occurs, as one sentence. Also the message of an error that has no other. */
  readonly when: string;
  /** What to do about it, in Markdown. */
  readonly advice: string;
}

/** The errors that no single feature owns. A feature declares its own with `declareError`. */
export const ERRORS = {
  invalid_json: {
    status: 400,
    when: 'The body is not one JSON object.',
    advice: 'Send one JSON object: UTF-8, no duplicate names, at most 32 levels.',
  },
  missing_field: { status: 400, when: 'A required field is missing.', advice: 'Add the field.' },
  invalid_field: {
    status: 400,
    when: 'A field has a value that it cannot take.',
    advice:
      'Correct the value: `null` only where it clears a field; 64-bit integers unquoted; names of 1 to 255 characters.',
  },
  unknown_field: {
    status: 400,
    when: 'The body has a field that the operation does not know.',
    advice: 'Remove or rename the field. The service assigns the `id`.',
  },
  invalid_parameter: {
    status: 400,
    when: 'A query parameter has a value that it cannot take.',
    advice: 'Correct the value; give each parameter once.',
  },
  unknown_parameter: {
    status: 400,
    when: 'The query has a parameter that the operation does not know.',
    advice: 'Correct the name.',
  },
  bad_request: {
    status: 400,
    when: 'The request is not well-formed HTTP.',
    advice: 'Correct the HTTP syntax or the `%` sequences of the path.',
  },
  missing_api_key: {
    status: 401,
    when: 'The request carries no API key.',
    advice: 'Send `Authorization: Bearer <API_KEY>`. Proxies and redirects may drop it.',
  },
  invalid_api_key: {
    status: 401,
    when: 'The API key is not one that this deployment accepts.',
    advice: 'Mistyped, of another deployment, or revoked: do not retry.',
  },
  expired_api_key: {
    status: 401,
    when: 'The API key is past its expiry date.',
    advice: 'Ask for a new key.',
  },
  not_found: {
    status: 404,
    when: 'There is no such resource.',
    advice: 'Check the path, trailing slashes included, or the id.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The resource does not have this method.',
    advice: 'Use a method listed in `Allow`.',
  },
  request_timeout: {
    status: 408,
    when: 'The request did not arrive in time.',
    // The service gives both 10 seconds, HAProxy the body 4.
    advice: 'Send the headers within 6 seconds, and the body within 4 more.',
  },
  gone: {
    status: 410,
    when: 'The operation has been removed.',
    advice: 'Use the [replacement](#the-end-of-getpet).',
  },
  payload_too_large: {
    status: 413,
    when: `The body is larger than ${bodyBytes} bytes.`,
    advice: `Send a body of at most ${bytes(bodyBytes)}.`,
  },
  uri_too_long: {
    status: 414,
    when: `The request target is longer than ${urlBytes} bytes.`,
    advice: `Send a path and query of at most ${bytes(urlBytes)}.`,
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as plain JSON of a media type that the operation takes.',
    advice:
      'Send `Content-Type: application/json` (only `charset=utf-8` allowed), uncompressed; a PATCH also as `application/merge-patch+json`.',
  },
  headers_too_large: {
    status: 431,
    when: `The header section is larger than ${headerBytes} bytes.`,
    advice: `Send at most ${bytes(headerBytes)}, request line included.`,
  },
  rate_limited: {
    status: 429,
    when: 'Too many requests were made in a short time.',
    advice: 'Wait as `Retry-After` says, then retry.',
  },
  internal_error: {
    status: 500,
    when: 'The service failed. Nothing about the request is known to be wrong.',
    advice: 'Report the request id; see [retries](#retries).',
  },
  service_unavailable: {
    status: 503,
    when: 'The service cannot answer at the moment.',
    advice: 'Wait as `Retry-After` says; see [retries](#retries). A proxy may answer it as 502 or 504.',
  },
} as const satisfies Record<string, Omit<ErrorKind, 'code'>>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export function kindOf(code: ErrorCode): ErrorKind {
  return { code, ...ERRORS[code] };
}
