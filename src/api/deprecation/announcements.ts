import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { operationsOf } from '../document/operations.js';
import type { Deprecations } from './deprecations.js';

interface Announcement {
  readonly method: string;
  readonly route: string;
  readonly target: RegExp;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers that announce a deprecation: for refusals in front of the router, and on whatever its route answers. */
export class Announcements {
  private readonly all: Announcement[];

  constructor(document: OpenAPIObject, deprecations: Deprecations) {
    this.all = operationsOf(document).flatMap(({ method, route, operation }) => {
      const policy = deprecations.ofOperation(operation.operationId ?? '');
      if (!policy) return [];
      return [
        {
          method: method.toUpperCase(),
          route,
          target: new RegExp(`^${route.replace(/:\w+/g, '[^/?]+')}(?:\\?|$)`),
          headers: policy.headers,
        },
      ];
    });
  }

  /** As names and values in turn. */
  ofTarget(method: string, target: string): readonly string[] {
    return Object.entries(find(this.all, method, target)?.headers ?? {}).flat();
  }

  /** Has them on each answer of a route, also when a guard refuses. Call it before routes are registered. */
  attachTo(instance: FastifyInstance): void {
    instance.addHook('onRoute', (route) => {
      const here = this.all.filter((one) => one.route === route.url);
      if (here.length === 0) return;
      const announce: onRequestHookHandler = ({ method, url }, reply, done) => {
        // By its target again: a route takes an empty parameter, too, which is then answered as another path.
        void reply.headers(find(here, method, url)?.headers ?? {});
        done();
      };
      route.onRequest = [announce, ...[route.onRequest ?? []].flat()];
    });
  }
}

function find(all: readonly Announcement[], method: string, target: string): Announcement | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return all.find((one) => one.method === wanted && one.target.test(target));
}
