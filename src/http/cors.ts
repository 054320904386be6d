import type { FastifyInstance } from 'fastify';

/**
 * Allows cross-origin requests from the listed origins. It only sets headers: OPTIONS of the path answers a preflight.
 * @fastify/cors would answer it even for unknown paths.
 */
export function allowOrigins(fastify: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  fastify.addHook('onSend', ({ method, headers: { origin = '' } }, reply, payload, done) => {
    void reply.header('vary', [reply.getHeader('vary') ?? [], 'Origin'].flat().join(', '));
    if (origins.includes(origin)) {
      void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' });
      const methods = reply.getHeader('allow');
      if (method === 'OPTIONS' && methods)
        void reply.headers({
          'access-control-allow-methods': methods,
          'access-control-allow-headers': 'Authorization, *', // the asterisk does not stand for Authorization
          'access-control-max-age': '600',
        });
    }
    done(null, payload);
  });
}
