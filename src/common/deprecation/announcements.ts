import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { operationsOf } from '../openapi/operations.js';
import type { Deprecations } from './deprecations.js';

/** The headers that announce a deprecation, for whoever answers in place of the operation or for it. */
export class Announcements {
  private readonly all;

  constructor(document: OpenAPIObject, deprecations: Deprecations, prefix: string) {
    this.all = operationsOf(document).flatMap(({ method, path, operation }) => {
      const policy = deprecations.ofOperation(operation.operationId ?? '');
      if (!policy) return [];
      return [
        {
          method: method.toUpperCase(),
          route: prefix + path.replace(/\{(\w+)\}/g, ':$1'),
          target: new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`),
          headers: policy.headers,
          list: Object.entries(policy.headers).flat(),
        },
      ];
    });
  }

  /** As names and values in turn, for a request that has not reached its route. */
  ofTarget(method: string, target: string): readonly string[] {
    const wanted = reading(method);
    return this.all.find((one) => one.method === wanted && one.target.test(target))?.list ?? [];
  }

  /** Has them on each answer of its route, also when a guard refuses. Call it before routes are registered. */
  attachTo(instance: FastifyInstance): void {
    instance.addHook('onRoute', (route) => {
      const method = reading(String(route.method));
      const found = this.all.find((one) => one.method === method && one.route === route.url);
      if (!found) return;
      route.onRequest = (request, reply, done) => {
        // A route takes an empty parameter, too, which is then answered as another path.
        if (found.target.test(request.url)) void reply.headers(found.headers);
        done();
      };
    });
  }
}

/** HEAD is answered as GET is. */
function reading(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}
