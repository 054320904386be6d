import type { OpenAPIObject } from '@nestjs/swagger';
import { enumerations } from '../validation/rules/one-of.js';
import type {
  ComponentsObject,
  OperationObject,
  ParameterObject,
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

/** Documents that unknown fields of a body are refused, also in nested objects. */
export function closeBodySchemas(operation: OperationObject, components: ComponentsObject): void {
  const { content = {} } = (operation.requestBody ?? {}) as Partial<RequestBodyObject>;
  for (const [, schema] of namedSchemas(content, components)) {
    if (schema.type === 'object') schema.additionalProperties = false;
  }
}

/** Mends what @nestjs/swagger makes of parameters, and documents a list as values separated by commas. */
export function describeParameters(operation: OperationObject): void {
  for (const parameter of (operation.parameters ?? []) as (ParameterObject & {
    allOf?: [ReferenceObject];
  })[]) {
    const { allOf, schema = {} } = parameter as { allOf?: [ReferenceObject]; schema?: SchemaObject };
    if (allOf) {
      const { ...others } = schema;
      delete others.type; // that of the property
      parameter.schema = Object.keys(others).length > 0 ? { allOf, ...others } : allOf[0];
      delete parameter.allOf;
    }
    if (schema.type === 'array') Object.assign(parameter, { style: 'form', explode: false });
  }
}

/** Adds the enumerations that the document refers to. */
export function nameEnumerations(document: OpenAPIObject, components: ComponentsObject): void {
  const known = {
    schemas: { ...components.schemas, ...Object.fromEntries(enumerations) },
  } as ComponentsObject;
  for (const [name, schema] of namedSchemas(document.paths, known)) {
    if (enumerations.has(name)) components.schemas = { [name]: schema, ...components.schemas };
  }
}

/** Requires that answers leave absent members out, and that no answer documents a default, which is for input. */
export function checkAnswers(operation: OperationObject, components: ComponentsObject): void {
  const contents = responsesOf(operation).map(([, { content }]) => content);
  for (const [name, { properties = {} }] of namedSchemas(contents, components)) {
    for (const [property, schema] of Object.entries(properties) as [string, SchemaObject][]) {
      const at = `${operation.operationId} answers ${name}.${property}`;
      if (schema.nullable)
        throw new Error(`${at}, which may be null: leave it out with OptionalField instead.`);
      if ('default' in schema)
        throw new Error(`${at} with a default: declare the field of the answer without.`);
    }
  }
}

/** Writes `nullable`, the word of @nestjs/swagger, as OpenAPI 3.1 has it. */
export function describeNull({ schemas = {} }: ComponentsObject): void {
  for (const { properties = {} } of Object.values(schemas) as SchemaObject[]) {
    for (const [name, schema] of Object.entries(properties) as [string, SchemaObject][]) {
      if (schema.nullable) properties[name] = orNull(schema);
    }
  }
}

function orNull({ allOf, type, ...rest }: SchemaObject): SchemaObject {
  delete rest.nullable;
  const both = allOf ? { anyOf: [...allOf, { type: 'null' }] } : { type: [type, 'null'] };
  const listed = rest.enum && { enum: [...(rest.enum as unknown[]), null] };
  return { ...both, ...rest, ...listed } as SchemaObject;
}

/** The schemas that a part of the document refers to, directly or through others. */
function namedSchemas(
  part: unknown,
  components: ComponentsObject,
  found = new Map<string, SchemaObject>(),
): Map<string, SchemaObject> {
  if (typeof part !== 'object' || part === null) return found;
  const reference = (part as Partial<ReferenceObject>).$ref?.split('/').at(-1);
  const schema = reference === undefined ? undefined : components.schemas?.[reference];
  if (reference !== undefined && schema && !found.has(reference)) {
    namedSchemas(schema, components, found.set(reference, schema as SchemaObject));
  }
  for (const child of Object.values(part)) namedSchemas(child, components, found);
  return found;
}
