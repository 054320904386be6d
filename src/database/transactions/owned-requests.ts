import type { FastifyInstance } from 'fastify';
import type { StatementQueues } from '../batching/statement-queues.js';
import { inScope } from './open-transaction.js';

/** Names the owners of statements while that is needed, as it has a cost. Who the caller is, a guard finds out later. */
export function nameOwners(fastify: FastifyInstance, queues: StatementQueues): void {
  fastify.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      if (!queues.wantsOwners) return handler.call(this, request, reply);
      const scope = {
        get owner() {
          return request.caller?.load;
        },
        refusalOf: () => undefined,
      };
      return inScope(scope, async () => handler.call(this, request, reply));
    };
  });
}
