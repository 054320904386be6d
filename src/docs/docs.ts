import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { JSON_TYPE } from '../api/media-types.js';
import { markShared } from '../edge/http/connections.js';
import { documentJson, documentYaml } from '../api/document/document-text.js';
import { assetsOfPage, type Asset } from './assets.js';
import { documentForPage } from './document-for-page.js';

/**
 * Serves the OpenAPI document and, at /docs, Swagger UI with a plugin and a stylesheet of ours, without a key and
 * without the internet. The document is built in src/api/document.
 */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject): void {
  const config = app.get(Config);
  const fastify = app.getHttpAdapter().getInstance();
  const json = Buffer.from(documentJson(document));
  let yaml: Promise<Buffer> | undefined;
  fastify.get('/openapi.json', (_request, reply) => sendShared(reply.type(JSON_TYPE), json));
  fastify.get('/openapi.yaml', async (_request, reply) => {
    yaml ??= documentYaml(document).then((text) => Buffer.from(text));
    return sendShared(reply.type('application/yaml; charset=utf-8'), await yaml);
  });
  secureDocs(fastify, contentSecurityPolicy(config));
  servePage(fastify, assetsOfPage(document.info.title, config.rootPath, documentForPage(document)));
  redirectBrowsers(fastify, `${config.rootPath}/docs`);
}

/** Sends bytes that every client gets, without a copy. */
function sendShared(reply: FastifyReply, content: Buffer): FastifyReply {
  markShared(reply.raw);
  return reply.send(content);
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

function servePage(fastify: FastifyInstance, assets: ReadonlyMap<string, Asset>): void {
  const serve = (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const asset = assets.get(name);
    if (!asset) throw new ApiError('not_found');
    reply.headers({ etag: asset.etag, 'cache-control': 'no-cache' });
    return request.headers['if-none-match'] === asset.etag
      ? reply.code(304).send()
      : sendShared(reply.type(asset.type), asset.content);
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
    reply.header('vary', 'accept');
    if (!accept.includes('text/html')) throw new ApiError('not_found');
    return reply.redirect(docs, 303);
  });
}
