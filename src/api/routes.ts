import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { API_PREFIX, Config } from '../common/config.js';
import { type DeprecationPolicy, policyOf } from './deprecation.js';
import { headerRef, operationsOf } from './document/operations.js';
import { linksOf, type Page } from './pages.js';

const DOCUMENT = 'https://document.invalid/';

/**
 * Makes the routes do what is documented: serialise by the schema, which keeps all digits of an int64 and sends no other
 * member, and send the headers of pages, created resources and deprecations. Call it before routes are registered.
 */
export function attachOperations(fastify: FastifyInstance, app: INestApplicationContext, json: string): void {
  const document = JSON.parse(json) as OpenAPIObject;
  const { apiBase } = app.get(Config);
  const operations = operationsOf(document);
  fastify.addSchema({ $id: DOCUMENT, components: document.components });
  fastify.addHook('onRoute', (route) => {
    // A HEAD route runs the handler of its GET route.
    const method = String(route.method).toLowerCase().replace('head', 'get');
    const found = operations.find((one) => one.method === method && routeOf(one.path) === route.url);
    if (!found) return;
    const { operationId, responses } = found.operation;
    const [status, { content, headers, links = {} }] = Object.entries(responses).find(([each]) =>
      each.startsWith('2'),
    )!;
    const $ref = content?.['application/json']?.schema.$ref;
    if ($ref) route.schema = { response: { [status]: { $ref: DOCUMENT + $ref } } };
    const policy = policyOf(operationId, app);
    if (policy) announce(route, policy);
    if (headers?.['Link']?.$ref === headerRef('PageLinks').$ref) sendLinks(route, apiBase);
    for (const readBy of Object.keys(links)) sendLocation(route, apiBase + found.path, policyOf(readBy, app));
  });
}

/** In the notation of the router: `/v1/pets/:petId` for `/pets/{petId}`. */
function routeOf(path: string): string {
  return API_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
}

/** On every answer, refusals by guards included. */
function announce(route: RouteOptions, policy: DeprecationPolicy): void {
  route.config = { ...route.config, policy };
  route.onRequest = (_request, reply, done) => {
    void reply.headers(policy.headers);
    done();
  };
}

function sendLinks(route: RouteOptions, apiBase: string): void {
  route.preSerialization = (request, reply, payload, done) => {
    const page = payload as Page<{ id: bigint }>;
    void reply.header('link', linksOf(page, request, apiBase));
    done(null, page.items);
  };
}

/** Until the sunset of the operation that it leads to. */
function sendLocation(route: RouteOptions, collection: string, policy?: DeprecationPolicy): void {
  const locationOf = (created: unknown) =>
    policy?.isOver() ? undefined : `${collection}/${(created as { id: bigint }).id}`;
  route.config = { ...route.config, locationOf };
  route.preSerialization = (_request, reply, created, done) => {
    const location = locationOf(created);
    if (location !== undefined) void reply.header('location', location);
    done(null, created);
  };
}
