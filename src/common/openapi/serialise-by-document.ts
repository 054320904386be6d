import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { responsesOf } from './operations.js';

const DOCUMENT = 'https://document.invalid/';

/**
 * Compiles the serialiser of each route from the response that the document promises: an answer has the documented
 * members in their documented form, and int64 values keep all their digits. Call it before routes are registered.
 */
export function serialiseByDocument(
  instance: FastifyInstance,
  document: OpenAPIObject,
  prefix: string,
): void {
  const { components } = document;
  instance.addSchema({ $id: DOCUMENT, components });
  instance.addHook('onRoute', (route) => {
    const path = route.url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
    const method = String(route.method).toLowerCase();
    // A HEAD route runs the handler of its GET route, and so it makes the same body.
    const operation = document.paths[path]?.[method === 'head' ? 'get' : (method as 'get')];
    if (!operation || !route.url.startsWith(prefix)) return;
    const successes = responsesOf(operation).filter(([status]) => status.startsWith('2'));
    const response = successes.flatMap(([status, { content }]) => {
      const reference = (content?.['application/json']?.schema as { $ref?: string } | undefined)?.$ref;
      return reference ? [[status, { $ref: `${DOCUMENT}${reference}` }]] : [];
    });
    route.schema = { response: Object.fromEntries(response) };
  });
}
