import type { OpenAPIObject } from '@nestjs/swagger';

export type SchemasObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type SchemaObject = Exclude<SchemasObject[string], Reference>;

interface Reference {
  $ref: string;
}

// Operations as our decorators make them. The types of @nestjs/swagger are wider, and most are not exported.

export interface OperationObject {
  /** Also the name of the handler. */
  operationId: string;
  description?: string;
  deprecated?: boolean;
  parameters: { name: string; in: string; schema?: { type?: string } }[];
  requestBody?: { content: Record<string, { schema: Reference }> };
  responses: Record<string, ResponseObject>;
  'x-stability'?: string;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, { schema: Reference }>;
  links?: Record<string, { operationId: string; parameters: object }>;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

export function headerRef(name: string): Reference {
  return { $ref: `#/components/headers/${name}` };
}
