import { API_PREFIX } from '../common/config.js';
import { addToRoute } from './route-config.js';

/** What callers are told about an error, in the document (`when`) and in the guide (`advice`). */
export interface ErrorKind {
  /** The code for programs, which never changes. */
  readonly code: string;
  readonly status: number;
  /** When the error occurs, as one sentence, which is also its message where no other is given. */
  readonly when: string;
  /** What to do about it, in Markdown. */
  readonly advice: string;
  /** The named constraints of the database whose violation is this error. */
  readonly onConstraint?: readonly string[];
}

export const BODY_BYTES = 16_384;
export const URL_BYTES = 8_192;
export const HEADER_BYTES = 16_384;

/** The errors that no single feature owns. A feature declares its own with `declareError`. */
// prettier-ignore
const ROWS = {
  invalid_json: [400, 'The body is not one JSON object.', 'Send one JSON object: UTF-8, no duplicate names, at most 32 levels.'],
  missing_field: [400, 'A required field is missing.', 'Add the field.'],
  invalid_field: [400, 'A field has a value that it cannot take.', 'Correct the value: `null` only where it clears a field; 64-bit integers unquoted; names of 1 to 255 characters.'],
  unknown_field: [400, 'The body has a field that the operation does not know.', 'Remove or rename the field. The service assigns the `id`.'],
  invalid_parameter: [400, 'A query parameter has a value that it cannot take.', 'Correct the value; give each parameter once, unless it is a list.'],
  unknown_parameter: [400, 'The query has a parameter that the operation does not know.', 'Correct the name.'],
  bad_request: [400, 'The request is not well-formed HTTP.', 'Correct the HTTP syntax or the `%` sequences of the path.'],
  missing_api_key: [401, 'The request carries no API key.', 'Send `Authorization: Bearer <API_KEY>`. Proxies and redirects may drop it.'],
  invalid_api_key: [401, 'The API key is not one that this deployment accepts.', 'The key is mistyped, of another deployment, or revoked: do not retry.'],
  expired_api_key: [401, 'The API key is past its expiry date.', 'Ask for a new key.'],
  read_only_key: [403, 'The API key may only read.', 'Ask for a key that may change things.'],
  not_found: [404, 'There is no such resource.', 'Check the path, trailing slashes included, or the id.'],
  method_not_allowed: [405, 'The resource does not have this method.', 'Use a method listed in `Allow`.'],
  request_timeout: [408, 'The request did not arrive in time.', 'Send the headers within 6 seconds, and the body within 4 more.'],
  gone: [410, 'The operation has been removed.', 'Use the [replacement](#the-end-of-getpet).'],
  payload_too_large: [413, `The body is larger than ${BODY_BYTES} bytes.`, `Send a body of at most ${BODY_BYTES} bytes.`],
  uri_too_long: [414, `The request target is longer than ${URL_BYTES} bytes.`, `Send a path and query of at most ${URL_BYTES} bytes.`],
  unsupported_media_type: [415, 'The body is not declared as plain JSON of a media type that the operation takes.', 'Send `Content-Type: application/json` (only `charset=utf-8` allowed), uncompressed; a PATCH also as `application/merge-patch+json`.'],
  rate_limited: [429, 'Too many requests were made in a short time.', 'Wait as `Retry-After` says, then retry.'],
  headers_too_large: [431, `The header section is larger than ${HEADER_BYTES} bytes.`, `Send at most ${HEADER_BYTES} bytes, request line included.`],
  internal_error: [500, 'The service failed. Nothing about the request is known to be wrong.', 'Report the request id; see [retries](#retries).'],
  service_unavailable: [503, 'The service cannot answer at the moment.', 'Wait as `Retry-After` says; see [retries](#retries). A proxy may answer it as 502 or 504.'],
} as const satisfies Record<string, readonly [status: number, when: string, advice: string]>;

export type ErrorCode = keyof typeof ROWS;

const kinds = new Map<string, ErrorKind>(
  Object.entries(ROWS).map(([code, [status, when, advice]]) => [code, { code, status, when, advice }]),
);

export function kindOf(code: ErrorCode): ErrorKind {
  return kinds.get(code)!;
}

/** An error for the client. Only the error filter turns it into a response. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(
    kind: ErrorCode | ErrorKind,
    message?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const { code, status, when } = typeof kind === 'string' ? kindOf(kind) : kind;
    super(message ?? when);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }

  /** The Error body of the contract has exactly these three members. */
  toJSON(): { code: string; message: string; status: number } {
    return { code: this.code, message: this.message, status: this.status };
  }
}

export function notFound(what: string): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`);
}

export function noSuchPath(): ApiError {
  return notFound(`path. A valid one is ${API_PREFIX}/pets, without a slash at its end`);
}

export function unavailable(message?: string): ApiError {
  return new ApiError('service_unavailable', message, { 'retry-after': '1' });
}

/** Declares an error of a feature, once: `throw new ApiError(orderComplete)`, `@Refuses(orderComplete)`. */
export function declareError(code: string, terms: Omit<ErrorKind, 'code'>): ErrorKind {
  if (kinds.has(code)) throw new Error(`The error ${code} is declared twice: share the first.`);
  const kind = { code, ...terms };
  kinds.set(code, kind);
  return kind;
}

/** Every error of the service, by status. */
export function allErrors(): ErrorKind[] {
  return [...kinds.values()].toSorted((a, b) => a.status - b.status);
}

/** Documents the errors of an operation that do not follow from its API key, its parameters or its body. */
export function Refuses(...errors: ErrorKind[]): MethodDecorator {
  return addToRoute({ refuses: errors });
}
