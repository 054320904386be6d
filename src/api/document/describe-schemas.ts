import type {
  ComponentsObject,
  OperationObject,
  ReferenceObject,
  RequestBodyObject,
  SchemaObject,
} from './openapi-types.js';
import { responsesOf, schemaRef } from './operations.js';

/** Moves titled arrays to the schemas of the document, which gives their type a name in generated clients. */
export function nameArraySchemas(operation: OperationObject, components: ComponentsObject): void {
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

/** Documents that unknown fields of a body are refused. */
export function closeBodySchema(operation: OperationObject, components: ComponentsObject): void {
  const body = operation.requestBody as RequestBodyObject | undefined;
  const reference = body?.content['application/json']?.schema as ReferenceObject | undefined;
  const schema = components.schemas?.[reference?.$ref.split('/').at(-1) ?? ''] as SchemaObject | undefined;
  if (schema) schema.additionalProperties = false;
}
