import { basename, dirname } from 'node:path/posix';
import type { INestApplicationContext } from '@nestjs/common';
import { getSchemaPath, type ReferenceObject, type ResponseObject, type SchemasObject } from '@nestjs/swagger';
import { dayOf } from '../../common/clock.js';
import { API_PREFIX, SERVICE_NAME } from '../../common/config.js';
import { type DeprecationPolicy, policyOf } from '../deprecation.js';
import { ApiError, type ErrorCode, type ErrorKind, kindOf } from '../errors.js';
import { REPLAYED_HEADER } from '../idempotency/idempotency-records.js';
import { KEY_HEADER } from '../idempotency/repeatable.js';
import { ROUTE } from '../route-config.js';
import type { Operation, OperationObject } from './operations.js';

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';

const text = (description: string, more: { example: string; required?: boolean; schema?: object }) =>
  ({ description, schema: { type: 'string' }, ...more }) as object;
const required = { required: true };
const pattern = (given: string) => ({ schema: { type: 'string', pattern: given } });
const constant = (value: string) => ({ schema: { type: 'string', const: value }, example: value });

/** The headers that responses refer to by name. A header that is not `required` can be missing from an answer. */
// prettier-ignore
export const HEADERS = {
  'X-Request-Id': text('Names the request in the logs of the service; taken from the request when it is well formed.', { ...required, ...pattern(REQUEST_ID_PATTERN), example: '0b1e5bd0-7a3f-4c55-9d54-2f0f6a3ce0a9' }),
  'Cache-Control': text('Answers are not to be stored.', { ...required, ...constant('no-store') }),
  'WWW-Authenticate': text('How to authenticate (RFC 6750).', { ...required, example: `Bearer realm="${SERVICE_NAME}", error="invalid_token"` }),
  'Retry-After': text('The number of seconds after which to try again.', { ...required, ...pattern('^[0-9]+$'), example: '1' }),
  'RateLimit-Policy': text('The number of requests (`q`) that a key may make within a number of seconds (`w`).', { example: '"requests";q=20000;w=60' }),
  RateLimit: text('How many requests remain (`r`) until the count begins anew, in so many seconds (`t`).', { example: '"requests";r=19999;t=60' }),
  'Accept-Patch': text('The media types that the operation takes (RFC 5789).', { ...required, example: 'application/json, application/merge-patch+json' }),
  [REPLAYED_HEADER]: text(`This is the first answer again: the request was repeated under its ${KEY_HEADER}.`, constant('true')),
  Deprecation: text('Since when the operation is deprecated, in seconds since 1970 (RFC 9745).', { ...required, ...pattern('^@[0-9]+$'), example: '@1764892800' }),
  Sunset: text('When the operation is to be removed (RFC 8594).', { ...required, example: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
  DeprecationLinks: text('What replaces the operation, and the page that explains its deprecation.', { ...required, example: '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"' }),
};

const headerRef = (name: string): ReferenceObject => ({ $ref: `#/components/headers/${name}` });
// prettier-ignore
const pageLinks = (path: string, more: string | false = false) => text(`Where the first page is and, when more items follow, the next one (RFC 8288).${more || ''}`, { ...required, example: `<${API_PREFIX}${path}?limit=20>; rel="first", <${API_PREFIX}${path}?limit=20&after=20>; rel="next"` });
// prettier-ignore
const location = (path: string) => text('Where to fetch what was created, for as long as that operation exists.', { example: `${API_PREFIX}${path}/1` });

/** The errors of any operation, and of one that is a change, has query or path parameters, has a body, or is deprecated. */
// prettier-ignore
const CODES: Record<string, ErrorCode[]> = {
  any: [
    'bad_request', 'missing_api_key', 'invalid_api_key', 'expired_api_key', 'request_timeout', 'uri_too_long',
    'rate_limited', 'headers_too_large', 'internal_error', 'service_unavailable',
  ],
  change: ['read_only_key'],
  query: ['invalid_parameter', 'unknown_parameter'],
  path: ['not_found'],
  body: ['invalid_json', 'missing_field', 'invalid_field', 'unknown_field', 'payload_too_large', 'unsupported_media_type'],
  deprecated: ['gone'],
};

const HEADERS_OF_STATUS: Record<string, string[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
/** Statuses that are answered before the request is counted, and so have no RateLimit headers. */
const BEFORE_LIMIT: ReadonlySet<string> = new Set(['401', '408', '414', '431', 'default']);

/** Completes the documentation that decorators have given to an operation. */
export function describeOperation(
  one: Operation,
  all: Operation[],
  app: INestApplicationContext,
  schemas: SchemasObject,
): void {
  const { operation } = one;
  const { answer, refuses = [], deprecation } = operation[ROUTE]?.config ?? {};
  delete operation[ROUTE];
  if (!answer) throw new Error(`${operation.operationId} needs @Fetched, @Paged, @Created, @Updated or @Deleted.`);
  const policy = deprecation && policyOf(deprecation, app);
  describeErrors(one, refuses);
  describeLocation(one, all);
  describeHeaders(one, answer === 'page');
  if (policy) describeDeprecation(operation, policy);
  operation['x-stability'] = policy ? 'deprecated' : (operation['x-stability'] ?? 'stable');
  describeInput(one, schemas);
}

/** Documents every error of an operation: those that follow from its parameters and its body, and declared ones. */
function describeErrors({ method, operation }: Operation, refuses: readonly ErrorKind[]): void {
  const { parameters, requestBody, deprecated, responses } = operation;
  const places = parameters.map((one) => one.in);
  const isChange = method !== 'get';
  const traits = new Set(['any', isChange && 'change', ...places, requestBody && 'body', deprecated && 'deprecated']);
  const codes = Object.keys(CODES).flatMap((trait) => (traits.has(trait) ? CODES[trait]! : []));
  const kinds = [...codes.map(kindOf), ...refuses];
  for (const { status } of kinds) responses[status] = errorResponse(kinds.filter((kind) => kind.status === status));
  responses['default'] = { ...errorResponse([kindOf('internal_error')]), description: 'Any other failure.' };
}

function errorResponse(kinds: ErrorKind[]): ResponseObject {
  const examples = kinds.map((kind) => [kind.code, { summary: kind.when, value: new ApiError(kind).toJSON() }]);
  const content = { schema: { $ref: getSchemaPath('Error') }, examples: Object.fromEntries(examples) };
  const description = kinds.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n');
  return { description, content: { 'application/json': content } };
}

/** Documents where to read a created resource: with the GET whose path has one parameter more, if there is one. */
function describeLocation({ path, operation }: Operation, all: Operation[]): void {
  const created = operation.responses['201'];
  const reader = all.find((one) => one.method === 'get' && one.path.endsWith('}') && dirname(one.path) === path);
  if (!created || !reader) return;
  const { operationId } = reader.operation;
  const parameters = { [basename(reader.path).slice(1, -1)]: '$response.body#/id' };
  created.headers = { Location: location(path) };
  created.links = { [operationId]: { operationId, parameters } };
}

/** Documents headers. The `default` response has the same ones everywhere, so that generators make one type of it. */
function describeHeaders({ method, path, operation }: Operation, isPage: boolean): void {
  const { parameters, responses } = operation;
  const takesKey = parameters.some(({ name }) => name === KEY_HEADER);
  for (const [status, response] of Object.entries(responses)) {
    const deprecated = operation.deprecated && status !== 'default';
    const names = [
      'X-Request-Id',
      'Cache-Control',
      ...(HEADERS_OF_STATUS[status] ?? []),
      ...(BEFORE_LIMIT.has(status) ? [] : ['RateLimit-Policy', 'RateLimit']),
      ...(method === 'patch' && status === '415' ? ['Accept-Patch'] : []),
      ...(takesKey && status.startsWith('2') ? [REPLAYED_HEADER] : []),
      ...(deprecated ? ['Deprecation', 'Sunset'] : []),
    ];
    response.headers = {
      ...Object.fromEntries(names.map((name) => [name, headerRef(name)])),
      ...(deprecated && { Link: headerRef('DeprecationLinks') }),
      ...(isPage && status === '200' && { Link: pageLinks(path, deprecated && ' Those of the deprecation follow.') }),
      ...response.headers,
    };
  }
}

/** Documents a policy: a description for people, and the sunset for tools. */
function describeDeprecation(operation: OperationObject, { sunsetOn, sunsetDay, advice }: DeprecationPolicy): void {
  const notice = `**Deprecated: this operation is to be removed on ${sunsetDay}.** ${advice}`;
  operation.description = [operation.description, notice].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': dayOf(sunsetOn),
    'x-deprecated-reason': `To be removed on ${sunsetDay}. ${advice.replaceAll('`', '')}`,
  });
}

/** Documents that a body has no other fields, that PATCH takes another media type, and that query lists can be repeated. */
function describeInput({ method, operation: { parameters, requestBody } }: Operation, schemas: SchemasObject): void {
  const patch = 'A JSON merge patch (RFC 7396), which may also be sent as `application/merge-patch+json`.';
  if (method === 'patch') Object.assign(requestBody!, { description: patch });
  for (const { schema } of Object.values(requestBody?.content ?? {}))
    Object.assign(schemas[(schema as ReferenceObject).$ref.split('/').at(-1)!]!, { additionalProperties: false });
  for (const parameter of parameters)
    if (parameter.schema && 'type' in parameter.schema && parameter.schema.type === 'array')
      Object.assign(parameter, { style: 'form', explode: true });
}
