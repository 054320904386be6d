import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject, ParameterObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { ROUTE } from '../route-config.js';

/** An operation as our decorators make it. The type of @nestjs/swagger allows more. */
export interface OperationObject {
  operationId: string;
  description?: string;
  deprecated?: boolean;
  parameters: ParameterObject[];
  requestBody?: RequestBodyObject;
  /** `shareRefusals` replaces some of them by references. */
  responses: Record<string, ResponseObject>;
  'x-stability'?: string;
  [ROUTE]?: { config: FastifyContextConfig };
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** All operations, named after their handlers. Where handlers share a name, their controllers' names stay in front. */
export function operationsOf({ paths }: OpenAPIObject): Operation[] {
  const operations = Object.entries(paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  // Relies on Nest: @nestjs/swagger names them `PetsController_getPet`.
  const handlers = operations.map(({ operation }) => operation.operationId.split('_').at(-1)!);
  for (const [i, { operation }] of operations.entries())
    if (handlers.indexOf(handlers[i]!) === handlers.lastIndexOf(handlers[i]!)) operation.operationId = handlers[i]!;
  return operations;
}

/**
 * Moves refusals to `components/responses`, so that generators make one type of equal refusals. A refusal is named after its
 * status, and also after its operation if that name is taken, or if the operation is deprecated: otherwise, the removal of
 * the deprecated operation would pass the name to a different refusal, and change the types of clients.
 */
export function shareRefusals(operations: Operation[]): Record<string, ResponseObject> {
  const shared: Record<string, ResponseObject> = {};
  for (const { operationId, responses, deprecated } of operations.map(({ operation }) => operation))
    for (const [status, response] of Object.entries(responses).filter(([each]) => !each.startsWith('2'))) {
      const known = Object.keys(shared).find((each) => isDeepStrictEqual(shared[each], response));
      const common = STATUS_CODES[status]?.replaceAll(/\W/g, '') ?? 'Failure';
      const own = operationId[0]!.toUpperCase() + operationId.slice(1) + common;
      const name = known ?? (deprecated || common in shared ? own : common);
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` } as never;
    }
  return shared;
}
