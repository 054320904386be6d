import type { INestApplicationContext, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { Config } from '../common/config.js';
import { DEPRECATED, type DeprecationPolicy } from './deprecation.js';
import { notesOf, type OperationObject, operationsOf, responsesOf } from './document/operations.js';
import { linksOf, type Page, PAGED } from './pages.js';
import { CREATED, type Creation } from './responses.js';

const DOCUMENT = 'https://document.invalid/';

/**
 * Makes the routes do what their decorators have documented: serialise by the documented schema, which keeps all digits
 * of an int64 and sends no other member, and send the headers of pages, created resources and deprecations. Call it
 * before routes are registered.
 */
export function attachOperations(fastify: FastifyInstance, app: INestApplicationContext, json: string): void {
  const document = JSON.parse(json) as OpenAPIObject;
  const { apiBase } = app.get(Config);
  const policies = deprecationsOf(app);
  const paged = notesOf<true>(app, PAGED);
  const created = notesOf<Creation>(app, CREATED);
  const operations = new Map(operationsOf(document).map((one) => [`${one.method} ${one.route}`, one]));
  fastify.addSchema({ $id: DOCUMENT, components: document.components });
  fastify.addHook('onRoute', (route) => {
    // A HEAD route runs the handler of its GET route.
    const method = String(route.method).toLowerCase().replace('head', 'get');
    const { id, operation } = operations.get(`${method} ${route.url}`) ?? {};
    if (!id || !operation) return;
    route.schema = { response: responseSchemas(operation) };
    const headers = policies.get(id)?.headers;
    if (headers) sendHeaders(route, headers);
    const creation = created.get(id);
    if (creation) sendLocation(route, apiBase, creation, policies.get(creation.readBy));
    if (paged.has(id)) sendLinks(route, apiBase);
  });
}

export function deprecationsOf(app: INestApplicationContext): Map<string, DeprecationPolicy> {
  const types = notesOf<Type<DeprecationPolicy>>(app, DEPRECATED);
  return new Map([...types].map(([id, type]) => [id, app.get(type, { strict: false })]));
}

function responseSchemas(operation: OperationObject): Record<string, { $ref: string }> {
  const schemas = responsesOf(operation).flatMap(([status, { content }]) => {
    const { $ref } = (content?.['application/json']?.schema ?? {}) as { $ref?: string };
    return status.startsWith('2') && $ref ? [[status, { $ref: `${DOCUMENT}${$ref}` }] as const] : [];
  });
  return Object.fromEntries(schemas);
}

/** On every answer, refusals by guards included. */
function sendHeaders(route: RouteOptions, headers: Record<string, string>): void {
  route.onRequest = (_request, reply, done) => {
    void reply.headers(headers);
    done();
  };
}

function sendLocation(route: RouteOptions, apiBase: string, { at }: Creation, policy?: DeprecationPolicy): void {
  const locationOf = (created: unknown) => (policy?.isOver() ? undefined : apiBase + at(created as never));
  route.config = { ...route.config, locationOf };
  route.preSerialization = (_request, reply, created, done) => {
    const location = locationOf(created);
    if (location !== undefined) void reply.header('location', location);
    done(null, created);
  };
}

function sendLinks(route: RouteOptions, apiBase: string): void {
  route.preSerialization = (request, reply, payload, done) => {
    const page = payload as Page<{ id: bigint }>;
    void reply.header('link', linksOf(page, request, apiBase));
    done(null, page.items);
  };
}
