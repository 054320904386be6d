import { SERVICE_NAME } from '../../common/config.js';
import type { DeprecationPolicy } from '../deprecation.js';
import { KEY_HEADER, REPLAYED_HEADER } from '../idempotency/repeatable.js';
import { headerRef, type HeadersObject, type OperationObject, responsesOf } from './operations.js';

export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._-]{1,128}$';
/** Statuses that are sent before routing. */
const BEFORE_ROUTING: ReadonlySet<string> = new Set(['408', '414', '431', 'default']);

const text = (description: string, more: object = {}) =>
  ({ description, schema: { type: 'string' }, ...more }) as never;
const required = { required: true };
const pattern = (given: string) => ({ schema: { type: 'string', pattern: given } });
const constant = (value: string) => ({ schema: { type: 'string', const: value } });

/** The headers that responses refer to by name. Those that are not required may be left out. */
// prettier-ignore
export const HEADERS: HeadersObject = {
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
  Deprecation: text('Since when the operation is deprecated, in seconds since 1970 (RFC 9745).', { ...pattern('^@[0-9]+$'), example: '@1764892800' }),
  Sunset: text('When the operation is to be removed (RFC 8594).', { example: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
  DeprecationLinks: text('What replaces the operation, and the page that explains its deprecation.', { example: '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"' }),
};

const NEED_KEY: ReadonlySet<string> = new Set(['post', 'patch', 'delete']);

/** Adds the headers that every operation sends, those of its method, and those of its deprecation. */
export function describeHeaders(
  operation: OperationObject,
  method: string,
  policy: DeprecationPolicy | undefined,
): void {
  const takesKey = (operation.parameters ?? []).some((one) => 'name' in one && one.name === KEY_HEADER);
  if (!takesKey && NEED_KEY.has(method))
    throw new Error(
      `${operation.operationId} takes no ${KEY_HEADER}: add @Repeatable(), or @Created, @Updated or @Deleted.`,
    );
  for (const [status, response] of responsesOf(operation)) {
    const names = [
      'X-Request-Id',
      'Cache-Control',
      ...(status === '401' || BEFORE_ROUTING.has(status) ? [] : ['RateLimit-Policy', 'RateLimit']),
      ...(method === 'patch' && status === '415' ? ['Accept-Patch'] : []),
      ...(takesKey && status.startsWith('2') ? [REPLAYED_HEADER] : []),
      ...(policy ? ['Deprecation', 'Sunset'] : []),
    ];
    response.headers = {
      ...Object.fromEntries(names.map((name) => [name, headerRef(name)])),
      ...(policy && { Link: headerRef('DeprecationLinks') }),
      ...response.headers,
    } as HeadersObject;
  }
}

/** Documents a policy: a description, and the sunset for tools. */
export function describeDeprecation(operation: OperationObject, { sunsetDay, terms }: DeprecationPolicy): void {
  const notice = `**Deprecated: this operation is to be removed on ${sunsetDay}.** ${terms.advice}`;
  operation.deprecated = true;
  operation.description = [operation.description, notice].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': terms.sunsetOn.toISOString().slice(0, 10),
    'x-deprecation': `To be removed on ${sunsetDay}. ${terms.advice.replaceAll('`', '')}`,
  });
}
