import { SERVICE_NAME, REQUEST_ID_PATTERN } from '../../common/contract.js';
import { KEY_HEADER, REPLAYED_HEADER } from '../responses/idempotency-key.js';
import { STALE_HEADER, STALE_STATUSES } from '../responses/stale-read.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { HeadersObject, OperationObject, ReferenceObject } from './openapi-types.js';
import {
  BEFORE_ROUTING,
  headerRef,
  IF_KNOWN,
  operationsOf,
  parametersOf,
  responsesOf,
} from './operations.js';

const text = { type: 'string' } as const;

const DEPRECATION = {
  Deprecation: {
    description: 'Since when the operation is deprecated, in seconds since 1970 (RFC 9745).',
    required: true,
    schema: { ...text, pattern: '^@[0-9]+$' },
    example: '@1764892800',
  },
  Sunset: {
    description: 'When the operation is to be removed (RFC 8594).',
    required: true,
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  DeprecationLinks: {
    description: 'What replaces the operation, and the page that explains its deprecation.',
    required: true,
    schema: text,
    example:
      '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"',
  },
} satisfies HeadersObject;

const IF_KNOWN_NOTE = 'Left out where the operation of a malformed request is not known.';

const HEADERS: HeadersObject = {
  'X-Request-Id': {
    description:
      'Names the request in the logs of the service; taken from the request when it is well formed.',
    required: true,
    schema: { ...text, pattern: REQUEST_ID_PATTERN },
  },
  'Cache-Control': {
    description: 'Answers are not to be stored.',
    required: true,
    schema: { ...text, const: 'no-store' } as never,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: text,
    example: `Bearer realm="${SERVICE_NAME}", error="invalid_token"`,
  },
  'Retry-After': {
    description: 'The number of seconds after which to try again.',
    required: true,
    schema: { ...text, pattern: '^[0-9]+$' },
    example: '1',
  },
  'RateLimit-Policy': {
    description: 'The number of requests (`q`) that a key may make within a number of seconds (`w`).',
    schema: text,
    example: '"requests";q=60000;w=60',
  },
  RateLimit: {
    description: 'How many requests remain (`r`) until the count begins anew, in so many seconds (`t`).',
    schema: text,
    example: '"requests";r=59999;t=60',
  },
  'Accept-Patch': {
    description: 'The media types that the operation takes (RFC 5789).',
    required: true,
    schema: text,
    example: 'application/json, application/merge-patch+json',
  },
  PageLinks: {
    description: 'Where the first page is and, when more items follow, the next one (RFC 8288).',
    required: true,
    schema: text,
    example: '</v1/pets?limit=20>; rel="first", </v1/pets?limit=20&after=20>; rel="next"',
  },
  Location: {
    description: 'Where to fetch what was created, for as long as that operation exists.',
    schema: text,
    example: '/v1/pets/1',
  },
  [REPLAYED_HEADER]: {
    description: `This is the first answer again: the request was repeated under its ${KEY_HEADER}.`,
    schema: { ...text, const: 'true' } as never,
  },
  [STALE_HEADER]: {
    description:
      'The answer may miss the latest changes: the primary database is away. Only deployments that allow it send it.',
    schema: { ...text, const: 'true' } as never,
  },
  ...DEPRECATION,
  ...Object.fromEntries(
    Object.entries(DEPRECATION).map(([name, header]) => [
      name + IF_KNOWN,
      { ...header, description: `${header.description} ${IF_KNOWN_NOTE}`, required: false },
    ]),
  ),
};

/** The response headers that operations refer to by name. */
export function headersOf(document: OpenAPIObject): HeadersObject {
  const responses = operationsOf(document).flatMap(({ operation }) => responsesOf(operation));
  const headers = responses.flatMap(([, response]) => Object.values(response.headers ?? {}));
  const used = new Set(headers.map((header) => (header as ReferenceObject).$ref));
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.has(headerRef(name).$ref)));
}

/** Responses without a valid key carry no rate limit headers. */
const WITHOUT_VALID_KEY = new Set(['401', ...BEFORE_ROUTING]);

const RATE_HEADERS: HeadersObject = {
  'RateLimit-Policy': headerRef('RateLimit-Policy'),
  RateLimit: headerRef('RateLimit'),
};

/** PUT is repeatable by itself. */
const NEED_KEY: ReadonlySet<string> = new Set(['post', 'patch', 'delete']);

/** Adds the headers that every operation sends, and those of its method. Throws for a change that cannot be repeated. */
export function describeHeaders(operation: OperationObject, method: string): void {
  const takesKey = parametersOf(operation).some(({ name }) => name === KEY_HEADER);
  if (!takesKey && NEED_KEY.has(method)) {
    throw new Error(
      `${operation.operationId} takes no ${KEY_HEADER}: add @Repeatable(), or @Created, @Updated or @Deleted.`,
    );
  }
  for (const [status, response] of responsesOf(operation)) {
    const isReplayed = takesKey && status.startsWith('2');
    response.headers = {
      'X-Request-Id': headerRef('X-Request-Id') as never,
      'Cache-Control': headerRef('Cache-Control') as never,
      ...(WITHOUT_VALID_KEY.has(status) ? {} : RATE_HEADERS),
      ...(method === 'patch' && status === '415' && { 'Accept-Patch': headerRef('Accept-Patch') }),
      ...(method === 'get' && STALE_STATUSES.includes(status) && { [STALE_HEADER]: headerRef(STALE_HEADER) }),
      ...(isReplayed && { [REPLAYED_HEADER]: headerRef(REPLAYED_HEADER) }),
      ...response.headers,
    };
  }
}
