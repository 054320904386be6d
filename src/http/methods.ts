import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { mediaTypesOf } from '../api/body.js';
import { ApiError } from '../api/errors.js';

/**
 * Collects the methods of each path that is registered from now on. The returned function, called after all routes are
 * registered, adds OPTIONS, and answers all other methods with 405. A path with an empty segment in the place of a
 * parameter is another path: 404.
 */
export function collectMethods(fastify: FastifyInstance): () => void {
  const paths = new Map<string, Set<string>>();
  let isComplete = false;
  fastify.addHook('onRoute', ({ url, method }) => {
    if (isComplete) return;
    const methods = paths.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    paths.set(url, methods);
  });
  return () => {
    isComplete = true;
    for (const [url, methods] of paths) answerOthers(fastify, url, methods);
    for (const url of new Set([...paths.keys()].flatMap(withEmptySegment)))
      if (!paths.has(url)) fastify.route({ method: METHODS, url, handler: (_request, reply) => reply.callNotFound() });
  };
}

function answerOthers(fastify: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...new Set([...methods, 'OPTIONS'])].toSorted().join(', ');
  const patch = methods.has('PATCH') ? { 'accept-patch': mediaTypesOf('PATCH').join(', ') } : {};
  if (!methods.has('OPTIONS'))
    fastify.options(url, (_request, reply) =>
      reply
        .code(204)
        .headers({ allow, ...patch })
        .send(),
    );
  fastify.route({
    method: METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS'),
    url,
    handler: () => {
      throw new ApiError('method_not_allowed', `The methods of this resource are ${allow}.`, { allow });
    },
  });
}

/** The path with one parameter left out, which the router would match as empty: `/pets/` for `/pets/:petId`. */
function withEmptySegment(url: string): string[] {
  return [...url.matchAll(/:\w+/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + url.slice(index + parameter.length),
  );
}
