import { RouteConfig } from '@nestjs/platform-fastify';
import type { INestApplicationContext } from '@nestjs/common';
import { JSON_TYPE } from '../media-types.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Turns the return value of a handler into a response: sets headers and returns the body. */
export type ResponseTransform<T> = (returned: T, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Creates a transform from the providers of the application. */
export type ResponseTransformFactory<T> = (app: INestApplicationContext) => ResponseTransform<T>;

declare module 'fastify' {
  interface FastifyContextConfig {
    responseTransform?: ResponseTransformFactory<never>;
    transform?: ResponseTransform<never>;
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
    let created: ResponseTransform<never> | undefined;
    const transform: ResponseTransform<never> = (returned, request, reply) =>
      (created ??= factory(app))(returned, request, reply);
    route.config = { ...route.config, transform };
    route.preSerialization = (request, reply, returned, done) =>
      done(null, transform(returned as never, request, reply));
  });
}

/** The body that Fastify would send for the return value of a handler; sets the headers. */
export function renderBody(
  returned: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  if (returned === undefined) return undefined;
  const { transform } = request.routeOptions.config;
  const body = transform ? transform(returned as never, request, reply) : returned;
  reply.type(JSON_TYPE);
  return reply.serialize(body) as string;
}
