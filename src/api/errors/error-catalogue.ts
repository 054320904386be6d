import { SIZE_LIMITS } from '../../common/contract.js';

const { bodyBytes, urlBytes, headerBytes } = SIZE_LIMITS;

/** Every error of the service: its permanent code, its HTTP status, and when it occurs. */
export const ERRORS = {
  invalid_json: { status: 400, when: 'The body is not one JSON object.' },
  missing_field: { status: 400, when: 'A required field is missing.' },
  invalid_field: { status: 400, when: 'A field has a value that it cannot take.' },
  unknown_field: { status: 400, when: 'The body has a field that the operation does not know.' },
  invalid_parameter: { status: 400, when: 'A query parameter has a value that it cannot take.' },
  unknown_parameter: { status: 400, when: 'The query has a parameter that the operation does not know.' },
  bad_request: { status: 400, when: 'The request is not well-formed HTTP.' },
  missing_api_key: { status: 401, when: 'The request carries no API key.' },
  invalid_api_key: { status: 401, when: 'The API key is not one that this deployment accepts.' },
  expired_api_key: { status: 401, when: 'The API key is past its expiry date.' },
  not_found: { status: 404, when: 'There is no such resource.' },
  method_not_allowed: { status: 405, when: 'The resource does not have this method.' },
  request_timeout: { status: 408, when: 'The request did not arrive in time.' },
  gone: { status: 410, when: 'The operation has been removed.' },
  payload_too_large: { status: 413, when: `The body is larger than ${bodyBytes} bytes.` },
  uri_too_long: { status: 414, when: `The request target is longer than ${urlBytes} bytes.` },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as plain JSON of a media type that the operation takes.',
  },
  headers_too_large: { status: 431, when: `The header section is larger than ${headerBytes} bytes.` },
  rate_limited: { status: 429, when: 'Too many requests were made in a short time.' },
  internal_error: {
    status: 500,
    when: 'The service failed. Nothing about the request is known to be wrong.',
  },
  service_unavailable: { status: 503, when: 'The service cannot answer at the moment.' },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
