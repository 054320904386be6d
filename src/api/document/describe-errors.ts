import type { OperationObject, ResponseObject } from './openapi-types.js';
import { type ErrorCode, ERRORS } from '../errors/error-catalogue.js';
import { headerRef, schemaRef } from './operations.js';

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
const WITH_PATH_PARAMETER: ErrorCode[] = ['not_found'];
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

/** Documents every error of an operation. They follow from its parameters and its body. */
export function describeErrors(operation: OperationObject): void {
  const codes = errorsOf(operation);
  for (const status of [...new Set(codes.map((code) => ERRORS[code].status))].toSorted((a, b) => a - b)) {
    operation.responses[status] = errorResponse(
      status,
      codes.filter((code) => ERRORS[code].status === status),
    );
  }
  operation.responses.default = {
    description: 'Any other failure.',
    content: { 'application/json': { schema: schemaRef('Error'), example: bodyOf('internal_error') } },
  };
}

function errorsOf(operation: OperationObject): ErrorCode[] {
  const takes = (place: string): boolean =>
    (operation.parameters ?? []).some((parameter) => 'in' in parameter && parameter.in === place);
  const isPublic = operation.security?.length === 0;
  return [
    ...ANYWHERE,
    ...(isPublic ? [] : WITH_KEY),
    ...(takes('query') ? WITH_QUERY : []),
    ...(takes('path') ? WITH_PATH_PARAMETER : []),
    ...(operation.requestBody ? WITH_BODY : []),
    ...(operation.deprecated ? (['gone'] as const) : []),
  ];
}

function errorResponse(status: number, codes: ErrorCode[]): ResponseObject {
  const header = HEADERS[status];
  const examples = codes.map((code) => [code, { summary: ERRORS[code].when, value: bodyOf(code) }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
    ...(header && { headers: { [header]: headerRef(header) } }),
    content: { 'application/json': { schema: schemaRef('Error'), examples: Object.fromEntries(examples) } },
  };
}

function bodyOf(code: ErrorCode): { code: ErrorCode; message: string; status: number } {
  return { code, message: ERRORS[code].when, status: ERRORS[code].status };
}
