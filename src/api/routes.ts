import { dirname } from 'node:path/posix';
import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { API_PREFIX, Config } from '../common/config.js';
import { DOCUMENT } from './decorators.js';
import { type DeprecationPolicy, policyOf } from './deprecation.js';
import { linksOf, type Page } from './pages.js';

/** Makes routes send the headers that the decorators of their handlers declare. Call it before routes are registered. */
export function attachOperations(fastify: FastifyInstance, app: INestApplicationContext, json: string): void {
  const { components } = JSON.parse(json) as OpenAPIObject;
  fastify.addSchema({ $id: DOCUMENT, components });
  const { apiBase } = app.get(Config);
  /** The routes that read one resource, by the path of its collection. */
  const readers = new Map<string, RouteOptions>();
  fastify.addHook('onRoute', (route) => {
    const { deprecation, answer } = route.config ?? {};
    const path = apiBase + route.url.slice(API_PREFIX.length);
    const policy = deprecation && policyOf(deprecation, app);
    if (policy) announce(route, policy);
    if (answer === 'page') sendLinks(route, path, policy);
    if (answer === 'creation') sendLocation(route, path, readers);
    if (route.method === 'GET' && /\/:\w+$/.test(route.url)) readers.set(dirname(route.url), route);
  });
}

/** Sends the headers of a deprecation before the guards run, so that refusals by guards have them, too. */
function announce(route: RouteOptions, policy: DeprecationPolicy): void {
  route.config = { ...route.config, policy };
  route.onRequest = (_request, reply, done) => {
    void reply.headers(policy.headers);
    done();
  };
}

function sendLinks(route: RouteOptions, path: string, policy?: DeprecationPolicy): void {
  const others = policy ? `, ${policy.headers.link}` : '';
  route.preSerialization = (request, reply, payload, done) => {
    const page = payload as Page<{ id: bigint }>;
    void reply.header('link', linksOf(page, request, path) + others);
    done(null, page.items);
  };
}

/** Sends Location until the sunset of the operation that it leads to. */
function sendLocation(route: RouteOptions, path: string, readers: ReadonlyMap<string, RouteOptions>): void {
  const locationOf = (created: unknown) => {
    const reader = readers.get(route.url);
    return reader && !reader.config?.policy?.isOver() ? `${path}/${(created as { id: bigint }).id}` : undefined;
  };
  route.config = { ...route.config, locationOf };
  route.preSerialization = (_request, reply, created, done) => {
    const location = locationOf(created);
    if (location !== undefined) void reply.header('location', location);
    done(null, created);
  };
}
