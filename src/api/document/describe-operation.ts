import { getSchemaPath } from '@nestjs/swagger';
import { SERVICE_NAME } from '../../common/config.js';
import type { DeprecationPolicy } from '../deprecation.js';
import { ApiError, type ErrorCode, kindOf, REFUSALS } from '../errors.js';
import { KEY_HEADER, REPLAYED_HEADER } from '../idempotency/repeatable.js';
import {
  headerRef,
  type Operation,
  type OperationObject,
  type ResponseObject,
  type SchemasObject,
} from './operations.js';

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';

const text = (description: string, more: object = {}) =>
  ({ description, schema: { type: 'string' }, ...more }) as never;
const required = { required: true };
const pattern = (given: string) => ({ schema: { type: 'string', pattern: given } });
const constant = (value: string) => ({ schema: { type: 'string', const: value } });

/** The headers that responses refer to by name. Those that are not required may be left out. */
// prettier-ignore
export const HEADERS = {
  'X-Request-Id': text('Names the request in the logs of the service; taken from the request when it is well formed.', { ...required, ...pattern(REQUEST_ID_PATTERN) }),
  'Cache-Control': text('Answers are not to be stored.', { ...required, ...constant('no-store') }),
  'WWW-Authenticate': text('How to authenticate (RFC 6750).', { ...required, example: `Bearer realm="${SERVICE_NAME}", error="invalid_token"` }),
  'Retry-After': text('The number of seconds after which to try again.', { ...required, ...pattern('^[0-9]+$'), example: '1' }),
  'RateLimit-Policy': text('The number of requests (`q`) that a key may make within a number of seconds (`w`).', { example: '"requests";q=60000;w=60' }),
  RateLimit: text('How many requests remain (`r`) until the count begins anew, in so many seconds (`t`).', { example: '"requests";r=59999;t=60' }),
  'Accept-Patch': text('The media types that the operation takes (RFC 5789).', { ...required, example: 'application/json, application/merge-patch+json' }),
  PageLinks: text('Where the first page is and, when more items follow, the next one (RFC 8288).', { ...required, example: '</v1/pets?limit=20>; rel="first", </v1/pets?limit=20&after=20>; rel="next"' }),
  Location: text('Where to fetch what was created, for as long as that operation exists.', { example: '/v1/pets/1' }),
  [REPLAYED_HEADER]: text(`This is the first answer again: the request was repeated under its ${KEY_HEADER}.`, constant('true')),
  Deprecation: text('Since when the operation is deprecated, in seconds since 1970 (RFC 9745).', { ...required, ...pattern('^@[0-9]+$'), example: '@1764892800' }),
  Sunset: text('When the operation is to be removed (RFC 8594).', { ...required, example: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
  DeprecationLinks: text('What replaces the operation, and the page that explains its deprecation.', { ...required, example: '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"' }),
};

/** When an operation can refuse with what. */
// prettier-ignore
const CODES = {
  always: [
    'bad_request', 'missing_api_key', 'invalid_api_key', 'expired_api_key', 'request_timeout', 'uri_too_long',
    'rate_limited', 'headers_too_large', 'internal_error', 'service_unavailable',
  ],
  query: ['invalid_parameter', 'unknown_parameter'],
  path: ['not_found'],
  body: ['invalid_json', 'missing_field', 'invalid_field', 'unknown_field', 'payload_too_large', 'unsupported_media_type'],
  deprecated: ['gone'],
} satisfies Record<string, ErrorCode[]>;
const OF_STATUS: Record<string, string[]> = { 401: ['WWW-Authenticate'], 429: ['Retry-After'], 503: ['Retry-After'] };
/** Statuses that are sent before routing. */
const BEFORE_ROUTING: ReadonlySet<string> = new Set(['408', '414', '431', 'default']);

/** Completes what decorators have documented of an operation. */
export function describeOperation(
  { method, operation }: Operation,
  policy: DeprecationPolicy | undefined,
  schemas: SchemasObject,
): void {
  describeErrors(operation);
  describeHeaders(operation, method, policy !== undefined);
  if (policy) describeDeprecation(operation, policy);
  operation['x-stability'] = policy ? 'deprecated' : (operation['x-stability'] ?? 'stable');
  describeSchemas(operation, schemas);
}

/** Documents every error of an operation: those that follow from its parameters and its body, and declared ones. */
function describeErrors(operation: OperationObject): void {
  const takes = (place: string) => operation.parameters.some((one) => one.in === place);
  const codes: ErrorCode[] = [
    ...CODES.always,
    ...(takes('query') ? CODES.query : []),
    ...(takes('path') ? CODES.path : []),
    ...(operation.requestBody ? CODES.body : []),
    ...(operation.deprecated ? CODES.deprecated : []),
  ];
  const kinds = [...codes.map(kindOf), ...(REFUSALS.get(operation.operationId) ?? [])];
  for (const status of new Set(kinds.map((kind) => kind.status))) {
    const ofStatus = kinds.filter((kind) => kind.status === status);
    const description = ofStatus.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n');
    const examples = ofStatus.map((kind) => [kind.code, { summary: kind.when, value: new ApiError(kind).toJSON() }]);
    operation.responses[status] = errorResponse(description, { examples: Object.fromEntries(examples) });
  }
  const example = new ApiError('internal_error').toJSON();
  operation.responses['default'] = errorResponse('Any other failure.', { example });
}

function errorResponse(description: string, examples: object): ResponseObject {
  const schema = { $ref: getSchemaPath('Error') };
  return { description, content: { 'application/json': { schema, ...examples } } };
}

/** Documents the headers that every operation sends, those of its method, of its errors, and of its deprecation. */
function describeHeaders(operation: OperationObject, method: string, isDeprecated: boolean): void {
  const takesKey = operation.parameters.some(({ name }) => name === KEY_HEADER);
  if (!takesKey && ['post', 'patch', 'delete'].includes(method))
    throw new Error(
      `${operation.operationId} takes no ${KEY_HEADER}: add @Created, @Updated, @Deleted or @Repeatable.`,
    );
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [
      'X-Request-Id',
      'Cache-Control',
      ...(OF_STATUS[status] ?? []),
      ...(status === '401' || BEFORE_ROUTING.has(status) ? [] : ['RateLimit-Policy', 'RateLimit']),
      ...(method === 'patch' && status === '415' ? ['Accept-Patch'] : []),
      ...(takesKey && status.startsWith('2') ? [REPLAYED_HEADER] : []),
      ...(isDeprecated ? ['Deprecation', 'Sunset'] : []),
    ];
    response.headers = {
      ...Object.fromEntries(names.map((name) => [name, headerRef(name)])),
      ...(isDeprecated && { Link: headerRef('DeprecationLinks') }),
      ...response.headers,
    };
  }
}

/** Documents a policy: a description for people, and the sunset for tools. */
function describeDeprecation(operation: OperationObject, { sunsetDay, terms }: DeprecationPolicy): void {
  const notice = `**Deprecated: this operation is to be removed on ${sunsetDay}.** ${terms.advice}`;
  operation.description = [operation.description, notice].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': terms.sunsetOn.toISOString().slice(0, 10),
    'x-deprecation': `To be removed on ${sunsetDay}. ${terms.advice.replaceAll('`', '')}`,
  });
}

/** Closes the schema of a body, and documents a list in a query as separated by commas. */
function describeSchemas({ parameters, requestBody }: OperationObject, schemas: SchemasObject): void {
  for (const { schema } of Object.values(requestBody?.content ?? {}))
    Object.assign(schemas[schema.$ref.split('/').at(-1)!]!, { additionalProperties: false });
  for (const parameter of parameters)
    if (parameter.schema?.type === 'array') Object.assign(parameter, { style: 'form', explode: false });
}
