import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { codesOf, operationsOf } from '../document/operations.js';
import type { DeclaredError } from './declare-error.js';
import type { DeclaredErrors } from './declared-errors.js';

/** What the error filter knows about the operation of a route. */
export interface RouteErrors {
  readonly operationId: string;
  /** The documented codes. */
  readonly codes: ReadonlySet<string>;
  readonly onConstraint: ReadonlyMap<string, DeclaredError>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: RouteErrors;
  }
}

/** Attaches the errors of its operation to each route. Call it before routes are registered. */
export function attachErrors(
  instance: FastifyInstance,
  document: OpenAPIObject,
  declared: DeclaredErrors,
): void {
  const errors = new Map<string, RouteErrors>();
  for (const { method, route, operation } of operationsOf(document)) {
    const { operationId = '' } = operation;
    const onConstraint = declared
      .ofOperation(operationId)
      .flatMap((error) => error.constraints.map((name) => [name, error] as const));
    errors.set(`${method} ${route}`, {
      operationId,
      codes: codesOf(operation),
      onConstraint: new Map(onConstraint),
    });
  }
  instance.addHook('onRoute', (route) => {
    // A HEAD route runs the handler of its GET route.
    const method = String(route.method).toLowerCase().replace('head', 'get');
    const ofRoute = errors.get(`${method} ${route.url}`);
    if (ofRoute) route.config = { ...route.config, errors: ofRoute };
  });
}
