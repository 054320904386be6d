import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { operationsOf, responsesOf } from './operations.js';

const DOCUMENT = 'https://document.invalid/';

/**
 * Compiles a serialiser for each route from its documented response: a body has exactly the documented members, and
 * int64 values keep all their digits. Call it before routes are registered.
 */
export function compileSerialisers(instance: FastifyInstance, document: OpenAPIObject): void {
  const { components } = document;
  const operations = new Map(
    operationsOf(document).map(({ method, route, operation }) => [`${method} ${route}`, operation]),
  );
  instance.addSchema({ $id: DOCUMENT, components });
  instance.addHook('onRoute', (route) => {
    // A HEAD route runs the handler of its GET route.
    const method = String(route.method).toLowerCase().replace('head', 'get');
    const operation = operations.get(`${method} ${route.url}`);
    if (!operation) return;
    const successes = responsesOf(operation).filter(([status]) => status.startsWith('2'));
    const response = successes.flatMap(([status, { content }]) => {
      const reference = (content?.['application/json']?.schema as { $ref?: string } | undefined)?.$ref;
      return reference ? [[status, { $ref: `${DOCUMENT}${reference}` }]] : [];
    });
    route.schema = { response: Object.fromEntries(response) };
  });
}
