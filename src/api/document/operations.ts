import type { OpenAPIObject } from '@nestjs/swagger';

// The objects of the OpenAPI specification. @nestjs/swagger exports only `OpenAPIObject`.
type ComponentsObject = NonNullable<OpenAPIObject['components']>;
export type HeadersObject = NonNullable<ComponentsObject['headers']>;
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;
export type ResponseObject = Exclude<NonNullable<OperationObject['responses'][string]>, { $ref: string }>;
export type SchemasObject = NonNullable<ComponentsObject['schemas']>;
export type SchemaObject = Exclude<SchemasObject[string], { $ref: string }>;

export interface Operation {
  /** Also the name of the handler. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
      id: operation.operationId!,
      method,
      path,
      operation,
    })),
  );
}

export function responsesOf(operation: OperationObject): [status: string, response: ResponseObject][] {
  return Object.entries(operation.responses) as [string, ResponseObject][];
}

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

export function headerRef(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
