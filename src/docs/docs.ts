import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { JSON_TYPE } from '../api/media-types.js';
import { addVary } from '../edge/vary.js';
import { documentYaml } from '../api/document/document-text.js';
import { assetsOfPage } from './assets.js';
import { documentForPage } from './document-for-page.js';
import { SharedContent } from './shared-content.js';

const YAML_TYPE = 'application/yaml; charset=utf-8';

/**
 * Serves the OpenAPI document and, at /docs, Swagger UI with a plugin and a stylesheet of ours, without a key and
 * without the internet. The document is built in src/api/document.
 */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject, documentText: string): void {
  const config = app.get(Config);
  const fastify = app.getHttpAdapter().getInstance();
  const json = new SharedContent(JSON_TYPE, Buffer.from(documentText));
  let yaml: SharedContent | undefined;
  fastify.get('/openapi.json', (request, reply) => json.send(request, reply));
  fastify.get('/openapi.yaml', (request, reply) => {
    yaml ??= new SharedContent(YAML_TYPE, Buffer.from(documentYaml(document)));
    return yaml.send(request, reply);
  });
  secureDocs(fastify, contentSecurityPolicy(config));
  servePage(
    fastify,
    assetsOfPage(document.info.title, config.rootPath, documentForPage(withoutUnset(document, config))),
  );
  redirectBrowsers(fastify, `${config.rootPath}/docs`);
}

/** Without the deployments that are not set: their addresses are examples. */
function withoutUnset(document: OpenAPIObject, { productionUrl, stagingUrl }: Config): OpenAPIObject {
  const deployments = new Map([
    ['{base_url}', productionUrl],
    ['{staging_base_url}', stagingUrl],
  ]);
  const isSet = ({ url }: { url: string }) => !deployments.has(url) || deployments.get(url) !== undefined;
  return { ...document, servers: document.servers?.filter(isSet) ?? [] };
}

/**
 * Allows scripts of this service only, requests to the servers of the document only, and no framing. Inline styles are
 * allowed because Swagger UI needs them.
 */
function contentSecurityPolicy({ publicUrl, productionUrl, stagingUrl }: Config): string {
  const servers = [publicUrl, productionUrl, stagingUrl].flatMap((url) => (url ? [new URL(url).origin] : []));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...new Set(servers)].join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function secureDocs(fastify: FastifyInstance, policy: string): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (/^\/docs(?:[/?]|$)/.test(request.url)) {
      reply.headers({
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    done();
  });
}

function servePage(fastify: FastifyInstance, assets: ReadonlyMap<string, SharedContent>): void {
  const serve = (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const asset = assets.get(name);
    if (!asset) throw new ApiError('not_found');
    return asset.send(request, reply);
  };
  for (const path of ['/docs', '/docs/']) {
    fastify.get(path, (request, reply) => serve('index.html', request, reply));
  }
  fastify.get<{ Params: { '*': string } }>('/docs/*', (request, reply) =>
    serve(request.params['*'], request, reply),
  );
}

/** Redirects browsers from / to the page. Other clients get 404, since they are probably misconfigured. */
function redirectBrowsers(fastify: FastifyInstance, docs: string): void {
  fastify.get('/', ({ headers: { accept = '' } }, reply) => {
    addVary(reply, 'accept');
    if (!accept.includes('text/html')) throw new ApiError('not_found');
    return reply.redirect(docs, 303);
  });
}
