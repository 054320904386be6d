import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { operationsOf } from '../document/operations.js';
import type { DeprecationRegistry } from './deprecation-registry.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that no hook of a route reaches. The target is a normalised one. */
    deprecationHeaders?: (method: string, target: string) => Readonly<Record<string, string>>;
  }
}

interface Announcement {
  readonly method: string;
  readonly route: string;
  readonly target: RegExp;
  readonly headers: Readonly<Record<string, string>>;
}

/** The deprecation headers of a request's operation, also for responses that are sent before routing. */
export class DeprecationHeaders {
  private readonly all: Announcement[];

  constructor(document: OpenAPIObject, deprecations: DeprecationRegistry) {
    this.all = operationsOf(document).flatMap(({ method, route, operation }) => {
      const policy = deprecations.ofOperation(operation.operationId ?? '');
      if (!policy) return [];
      return [
        {
          method: method.toUpperCase(),
          route,
          target: new RegExp(`^${route.replace(/:\w+/g, '[^/?#]+')}(?:[?#]|$)`),
          headers: policy.headers,
        },
      ];
    });
  }

  /** Adds them to every response of a route, refusals by guards included. Call it before routes are registered. */
  attachTo(instance: FastifyInstance): void {
    instance.decorate(
      'deprecationHeaders',
      (method, target) => find(this.all, method, target)?.headers ?? {},
    );
    instance.addHook('onRoute', (route) => {
      const here = this.all.filter((one) => one.route === route.url);
      if (here.length === 0) return;
      const announce: onRequestHookHandler = ({ method, url }, reply, done) => {
        // The router also matches an empty parameter, which is answered like any unknown path: check the target.
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
