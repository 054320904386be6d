import type {
  ComponentsObject,
  HeadersObject,
  OperationObject,
  ReferenceObject,
  RequestBodyObject,
  SchemaObject,
} from './types.js';
import { headerRef, responsesOf, schemaRef } from './operations.js';

/** Answers that are given before a key was checked, or because it was not valid. */
const WITHOUT_KEY = new Set(['401', '408', '414', '431', 'default']);

const RATE_HEADERS: HeadersObject = {
  'RateLimit-Policy': headerRef('RateLimit-Policy'),
  RateLimit: headerRef('RateLimit'),
};

/** Every answer names the request and forbids storing; with a valid key it also tells what is left of the rate. */
export function nameHeaders(operation: OperationObject): void {
  for (const [status, response] of responsesOf(operation)) {
    response.headers = {
      'X-Request-Id': headerRef('X-Request-Id') as never,
      'Cache-Control': headerRef('Cache-Control') as never,
      ...(WITHOUT_KEY.has(status) ? {} : RATE_HEADERS),
      ...response.headers,
    };
  }
}

/** An array with a title becomes a schema of that name, so that generated clients have a name for it too. */
export function nameArrays(operation: OperationObject, components: ComponentsObject): void {
  for (const [, response] of responsesOf(operation)) {
    const json = response.content?.['application/json'];
    const schema = json?.schema as SchemaObject | undefined;
    if (json && schema?.type === 'array' && schema.title) {
      const { title, ...array } = schema;
      components.schemas = { ...components.schemas, [title]: array };
      json.schema = schemaRef(title);
    }
  }
}

/** Unknown members of a body are refused, and the document says so. */
export function closeInputs(operation: OperationObject, components: ComponentsObject): void {
  const body = operation.requestBody as RequestBodyObject | undefined;
  const reference = body?.content['application/json']?.schema as ReferenceObject | undefined;
  const schema = components.schemas?.[reference?.$ref.split('/').at(-1) ?? ''] as SchemaObject | undefined;
  if (schema) schema.additionalProperties = false;
}
