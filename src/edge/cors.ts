import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { operationsOf, responsesOf } from '../api/document/operations.js';
import { addVary } from './vary.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that no hook reaches; undefined if no origin is listed. */
    originHeaders?: (origin: string | undefined) => Record<string, string>;
  }
}

/**
 * Allows cross-origin requests from the listed origins: the methods of the path, and the headers that the document
 * declares. It only sets headers: the OPTIONS handler of the path answers a preflight. @fastify/cors would answer it
 * itself, even for unknown paths.
 */
export function allowOrigins(instance: FastifyInstance, origins: string[], document: OpenAPIObject): void {
  const exposed = responseHeadersOf(document).join(', ');
  const allowed = ['Authorization', 'Content-Type', 'X-Request-Id', ...requestHeadersOf(document)].join(', ');
  const known = new Map<string | undefined, Record<string, string>>(
    origins.map((origin) => [
      origin,
      { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed },
    ]),
  );
  instance.decorate('originHeaders', (origin) => ({ vary: 'Origin', ...known.get(origin) }));
  instance.addHook('onRequest', ({ headers, method, routeOptions }, reply, done) => {
    addVary(reply, 'Origin');
    const headersOfOrigin = known.get(headers.origin);
    if (headersOfOrigin) {
      reply.headers(headersOfOrigin);
      const methods = instance.methodsOfPaths.get(routeOptions.url ?? '');
      if (method === 'OPTIONS' && methods) {
        reply.headers({
          'access-control-allow-methods': [...methods].toSorted().join(', '),
          'access-control-allow-headers': allowed,
          'access-control-max-age': '600',
        });
      }
    }
    done();
  });
}

function responseHeadersOf(document: OpenAPIObject): string[] {
  const responses = operationsOf(document).flatMap(({ operation }) => responsesOf(operation));
  return [...new Set(responses.flatMap(([, { headers = {} }]) => Object.keys(headers)))].toSorted();
}

function requestHeadersOf(document: OpenAPIObject): string[] {
  const parameters = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? []);
  return [...new Set(parameters.flatMap((one) => ('in' in one && one.in === 'header' ? [one.name] : [])))];
}
