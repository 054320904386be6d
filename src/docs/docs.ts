import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../common/config/config.js';
import { ApiError } from '../common/errors/api-error.js';
import { sharesItsBytes } from '../common/http/connections.js';
import { documentJson, documentYaml } from '../common/openapi/document-text.js';
import { assetsOfPage, type Asset } from './assets.js';
import { documentForPage } from './document-for-page.js';

/** Serves the document and, at /docs, a page that explains it: both without a key and without the internet. */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject): void {
  const config = app.get(Config);
  const fastify = app.getHttpAdapter().getInstance();
  const json = Buffer.from(documentJson(document));
  let yaml: Promise<Buffer> | undefined;
  fastify.get('/openapi.json', (_request, reply) =>
    sendShared(reply.type('application/json; charset=utf-8'), json),
  );
  fastify.get('/openapi.yaml', async (_request, reply) => {
    yaml ??= documentYaml(document).then((text) => Buffer.from(text));
    return sendShared(reply.type('application/yaml; charset=utf-8'), await yaml);
  });
  secureDocs(fastify, docsPolicy(config));
  servePage(fastify, assetsOfPage(document.info.title, config.rootPath, documentForPage(document)));
  showBrowsersIn(fastify, `${config.rootPath}/docs`);
}

/** Sends bytes that every client gets, without a copy. */
function sendShared(reply: FastifyReply, content: Buffer): FastifyReply {
  sharesItsBytes(reply.raw);
  return reply.send(content);
}

/**
 * The page runs what this service serves and nothing else, asks the servers that the document names and nobody else,
 * and is shown in nobody's frame. Styles are the exception: Swagger UI writes them into the page.
 */
function docsPolicy({ publicUrl, productionUrl, stagingUrl }: Config): string {
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

/** Whoever types the bare address into a browser wants to read; a program that asks for it is lost, and is told so. */
function showBrowsersIn(fastify: FastifyInstance, docs: string): void {
  fastify.get('/', ({ headers: { accept = '' } }, reply) => {
    reply.header('vary', 'accept');
    if (!accept.includes('text/html')) throw new ApiError('not_found');
    return reply.redirect(docs, 303);
  });
}
