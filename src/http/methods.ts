import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { mediaTypesOf } from '../api/body.js';
import { ApiError } from '../api/errors.js';

/**
 * Collects the methods of each path that is registered from now on. The returned function, called after all routes are
 * registered, adds OPTIONS, and answers all other methods with 405.
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
  };
}

function answerOthers(fastify: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ');
  const headers = { allow, ...(methods.has('PATCH') && { 'accept-patch': mediaTypesOf('PATCH').join(', ') }) };
  fastify.options(url, (_request, reply) => reply.code(204).headers(headers).send());
  fastify.route({
    method: METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS'),
    url,
    handler: () => {
      throw new ApiError('method_not_allowed', `The methods of this resource are ${allow}.`, { allow });
    },
  });
}
