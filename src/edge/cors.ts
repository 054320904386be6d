import type { FastifyInstance } from 'fastify';
import { addVary } from './vary.js';

const ALLOWED = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id',
  'access-control-max-age': '600',
};
const EXPOSED =
  'Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Deprecation, Sunset, WWW-Authenticate';

/**
 * Allows cross-origin requests from the listed origins. It only sets headers: the OPTIONS handler of the path answers a
 * preflight. @fastify/cors would answer it itself, even for unknown paths.
 */
export function allowOrigins(instance: FastifyInstance, origins: string[]): void {
  instance.addHook('onRequest', ({ headers, method }, reply, done) => {
    addVary(reply, 'Origin');
    if (headers.origin !== undefined && origins.includes(headers.origin)) {
      reply.header('access-control-allow-origin', headers.origin);
      reply.header('access-control-expose-headers', EXPOSED);
      if (method === 'OPTIONS') reply.headers(ALLOWED);
    }
    done();
  });
}
