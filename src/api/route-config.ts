import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';

/** The extension that holds the configuration in the document until `describeOperation` has read it. */
export const ROUTE = 'x-route';

/** The configurations that were made here. One that stands in `@RouteConfig()` may be shared with other routes. */
const OWN = new WeakSet<FastifyContextConfig>();

/**
 * Declares what a route does, for Fastify (`request.routeOptions.config`) and for the document. A handler can have several of
 * our decorators, and Nest's `@RouteConfig()` alone would replace what another one has declared. Relies on Nest: its metadata
 * has this key, and `ApiExtension` keeps the first object that it gets, so later decorators change that object.
 */
export function addToRoute(more: FastifyContextConfig): MethodDecorator {
  return (controller, name, descriptor) => {
    const given = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value!) as FastifyContextConfig;
    const config = OWN.has(given) ? given : { ...given };
    OWN.add(config);
    const refuses = [...(more.refuses ?? []), ...(config.refuses ?? [])];
    Object.assign(config, more, { refuses });
    applyDecorators(RouteConfig(config), ApiExtension(ROUTE, { config }))(controller, name, descriptor);
  };
}
