import type { OpenAPIObject, ReferenceObject } from '@nestjs/swagger';

// Operations as our decorators make them: the types of @nestjs/swagger are wider.

export interface OperationObject {
  /** Also the name of the handler. */
  operationId: string;
  description?: string;
  deprecated?: boolean;
  parameters: { name: string; in: string; schema?: { type?: string } }[];
  requestBody?: { content: Content };
  responses: Record<string, ResponseObject>;
  'x-stability'?: string;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, ReferenceObject>;
  content?: Content;
  links?: Record<string, { operationId: string; parameters: object }>;
}

type Content = Record<string, { schema: ReferenceObject }>;

export type Operation = ReturnType<typeof operationsOf>[number];

export function operationsOf({ paths }: OpenAPIObject) {
  return Object.entries(paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

export function headerRef(name: string): ReferenceObject {
  return { $ref: `#/components/headers/${name}` };
}
