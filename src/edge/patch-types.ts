import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { takeTypes } from './json-body.js';

/** Takes the documented media types on PATCH routes. Call it before routes are registered; others get no hook. */
export function takePatchTypes(
  instance: FastifyInstance,
  patchTypes: ReadonlyMap<string, readonly string[]>,
): void {
  instance.addHook('onRoute', (route) => {
    const types = patchTypes.get(route.url);
    if (!types || route.method !== 'PATCH') return;
    const take: onRequestHookHandler = ({ raw }, _reply, done) => {
      takeTypes(raw, types);
      done();
    };
    route.onRequest = [take, ...[route.onRequest ?? []].flat()];
  });
}
