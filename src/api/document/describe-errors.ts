import { type DeclaredError, allErrors } from '../errors.js';
import { type ErrorCode, type ErrorKind, kindOf } from '../error-catalogue.js';
import { headerRef, type OperationObject, type ResponseObject, type SchemaObject, schemaRef } from './operations.js';

/** Errors of every operation: they arise before or after it. */
const ANYWHERE: ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];
const WITH_KEY: ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'rate_limited'];
const WITH_QUERY: ErrorCode[] = ['invalid_parameter', 'unknown_parameter'];
const WITH_BODY: ErrorCode[] = [
  'invalid_json',
  'missing_field',
  'invalid_field',
  'unknown_field',
  'payload_too_large',
  'unsupported_media_type',
];
const HEADERS: Partial<Record<number, string>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** Documents every error of an operation: those that follow from its parameters and its body, and declared ones. */
export function describeErrors(operation: OperationObject, declared: readonly DeclaredError[]): void {
  const kinds = kindsOf(operation, declared);
  for (const status of [...new Set(kinds.map((kind) => kind.status))].toSorted((a, b) => a - b)) {
    const ofStatus = kinds.filter((kind) => kind.status === status);
    operation.responses[status] = errorResponse(status, ofStatus);
  }
  operation.responses.default = {
    description: 'Any other failure.',
    content: {
      'application/json': { schema: schemaRef('Error'), example: bodyOf(kindOf('internal_error')) },
    },
  };
}

/** Codes are permanent, so the Error schema is open for more than it lists. */
export function listCodes({ properties }: SchemaObject): void {
  const { code } = properties as Record<'code', SchemaObject>;
  code.description += ` Now: ${allErrors()
    .map((kind) => `\`${kind.code}\``)
    .join(', ')}.`;
}

function kindsOf(operation: OperationObject, declared: readonly ErrorKind[]): ErrorKind[] {
  const takes = (place: string): boolean =>
    (operation.parameters ?? []).some((parameter) => 'in' in parameter && parameter.in === place);
  const derived: ErrorCode[] = [
    ...ANYWHERE,
    ...(operation.security?.length === 0 ? [] : WITH_KEY),
    ...(takes('query') ? WITH_QUERY : []),
    ...(takes('path') ? (['not_found'] as const) : []),
    ...(operation.requestBody ? WITH_BODY : []),
    ...(operation.deprecated ? (['gone'] as const) : []),
  ];
  return [...derived.map(kindOf), ...declared];
}

function errorResponse(status: number, kinds: ErrorKind[]): ResponseObject {
  const header = HEADERS[status];
  const examples = kinds.map((kind) => [kind.code, { summary: kind.when, value: bodyOf(kind) }]);
  return {
    description: kinds.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n'),
    ...(header && { headers: { [header]: headerRef(header) } }),
    content: { 'application/json': { schema: schemaRef('Error'), examples: Object.fromEntries(examples) } },
  };
}

function bodyOf({ code, when, status }: ErrorKind): { code: string; message: string; status: number } {
  return { code, message: when, status };
}
