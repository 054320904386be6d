import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { methodNotAllowed } from '../api/errors/api-error.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of each path. */
    methodsOfPaths: ReadonlyMap<string, ReadonlySet<string>>;
  }
}

/**
 * Collects the methods of each path registered from now on. `answerOthers`, called after all routes are registered, adds
 * OPTIONS, which lists the methods and the media types of PATCH (RFC 5789), and answers all other methods with 405. A path
 * with an empty segment in the place of a parameter is another path: 404.
 */
export function collectMethods(
  instance: FastifyInstance,
  patchTypes: ReadonlyMap<string, readonly string[]>,
): { answerOthers(): void } {
  const methods = new Map<string, Set<string>>();
  let answering = false;
  instance.decorate('methodsOfPaths', methods);
  instance.addHook('onRoute', ({ url, method }) => {
    if (answering) return;
    const known = methods.get(url) ?? new Set<string>();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return {
    answerOthers() {
      answering = true;
      for (const [url, known] of methods) {
        const allow = [...known, ...(known.has('OPTIONS') ? [] : ['OPTIONS'])].toSorted().join(', ');
        const others = METHODS.filter((method) => !known.has(method) && method !== 'OPTIONS');
        if (!known.has('OPTIONS')) {
          const types = patchTypes.get(url);
          const headers = { allow, ...(types && { 'accept-patch': types.join(', ') }) };
          instance.options(url, (_request, reply) => reply.code(204).headers(headers).send());
        }
        instance.route({
          method: others,
          url,
          handler: () => {
            throw methodNotAllowed(allow);
          },
        });
      }
      // The router would match an empty parameter. It prefers paths without parameters.
      for (const url of new Set([...methods.keys()].flatMap(withEmptySegment))) {
        if (methods.has(url)) continue;
        instance.route({ method: METHODS, url, handler: (_, reply) => reply.callNotFound() });
      }
    },
  };
}

/** The path with one parameter left out: `/pets/` for `/pets/:petId`. */
function withEmptySegment(url: string): string[] {
  return [...url.matchAll(/:\w+/g)].map(
    ({ 0: parameter, index }) => url.slice(0, index) + url.slice(index + parameter.length),
  );
}
