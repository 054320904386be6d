import {
  type ComponentsObject,
  type OperationObject,
  type ParameterObject,
  responsesOf,
  type SchemaObject,
  schemaRef,
} from './operations.js';

/** Moves titled arrays to the schemas of the document, which gives their type a name in generated clients. */
export function nameArraySchemas(operation: OperationObject, components: ComponentsObject): void {
  for (const [, response] of responsesOf(operation)) {
    const json = response.content?.['application/json'];
    const { title, ...array } = (json?.schema ?? {}) as SchemaObject;
    if (!json || array.type !== 'array' || !title) continue;
    components.schemas = { ...components.schemas, [title]: array };
    json.schema = schemaRef(title);
  }
}

/** Documents a list in a query as values separated by commas. */
export function describeLists(operation: OperationObject): void {
  for (const parameter of (operation.parameters ?? []) as ParameterObject[])
    if ((parameter.schema as SchemaObject | undefined)?.type === 'array')
      Object.assign(parameter, { style: 'form', explode: false });
}

/** Documents that unknown fields of a body are refused. */
export function closeBodySchema(operation: OperationObject, { schemas = {} }: ComponentsObject): void {
  const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, { schema?: object }> };
  for (const { schema } of Object.values(content)) {
    const name = (schema as { $ref?: string } | undefined)?.$ref?.split('/').at(-1);
    if (name) Object.assign(schemas[name] as SchemaObject, { additionalProperties: false });
  }
}

/** Writes `nullable`, the word of @nestjs/swagger, as OpenAPI 3.1 has it. */
export function describeNull({ schemas = {} }: ComponentsObject): void {
  for (const { properties = {} } of Object.values(schemas) as SchemaObject[]) {
    for (const property of Object.values(properties) as SchemaObject[]) {
      if (!property.nullable) continue;
      delete property.nullable;
      property.type = [property.type, 'null'] as never;
    }
  }
}
