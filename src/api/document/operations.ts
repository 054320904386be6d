import type { OpenAPIObject, ReferenceObject } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { ROUTE } from '../route-config.js';

// Operations as our decorators make them: the types of @nestjs/swagger are wider.

export interface OperationObject {
  operationId: string;
  description?: string;
  deprecated?: boolean;
  parameters: { name: string; in: string; schema?: { type?: string } }[];
  requestBody?: { content: Content };
  responses: Record<string, ResponseObject>;
  'x-stability'?: string;
  [ROUTE]?: { config: FastifyContextConfig };
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, ReferenceObject>;
  content?: Content;
  links?: Record<string, { operationId: string; parameters: object }>;
}

type Content = Record<string, { schema: ReferenceObject }>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** How @nestjs/swagger names operations, until `operationsOf` knows which names are taken twice. */
export const operationIdOf = (controller: string, method: string): string => `${controller}_${method}`;

/**
 * The operations of a document, named after their handlers, as in generated clients. Where two controllers have handlers of one
 * name, both operations keep the name of the controller in front.
 */
export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  const operations = Object.entries(paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const handlers = operations.map(({ operation }) => operation.operationId.split('_').at(-1)!);
  for (const [i, { operation }] of operations.entries())
    if (handlers.indexOf(handlers[i]!) === handlers.lastIndexOf(handlers[i]!)) operation.operationId = handlers[i]!;
  return operations;
}

export function headerRef(name: string): ReferenceObject {
  return { $ref: `#/components/headers/${name}` };
}
