import { RouteConfig } from '@nestjs/platform-fastify';
import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Turns the return value of a handler into a response: sets headers and returns the body. */
export type ResponseTransform<T> = (returned: T, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Creates a transform from the providers of the application. */
export type ResponseTransformFactory<T> = (app: INestApplicationContext) => ResponseTransform<T>;

declare module 'fastify' {
  interface FastifyContextConfig {
    responseTransform?: ResponseTransformFactory<never>;
  }
}

/** Transforms every response of an operation. An interceptor would cost ten times as much per request. */
export function TransformResponse<T>(responseTransform: ResponseTransformFactory<T>): MethodDecorator {
  return RouteConfig({ responseTransform });
}

/** Installs the transforms. Call it before routes are registered. */
export function installResponseTransforms(app: INestApplicationContext, instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    const factory = route.config?.responseTransform;
    if (!factory) return;
    let transform: ResponseTransform<never> | undefined;
    route.preSerialization = (request, reply, returned, done) => {
      transform ??= factory(app);
      done(null, transform(returned as never, request, reply));
    };
  });
}
