import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from './common/config/config.js';
import { ApiError } from './common/errors/api-error.js';
import { documentJson, documentYaml } from './common/openapi/document-text.js';

/** Serves the document and, at /docs, Swagger UI: both without a key and without the internet. */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject): void {
  const json = documentJson(document);
  const yaml = documentYaml(document);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json));
  fastify.get('/openapi.yaml', (_request, reply) => reply.type('application/yaml; charset=utf-8').send(yaml));
  secureDocs(fastify, docsPolicy(app.get(Config)));
  serveAssetsFromMemory(fastify);
  // The page loads the document from its address. Embedded into the page, it would be written with JSON.stringify,
  // which knows no bigints; so the page gets one that is empty, and then none.
  SwaggerModule.setup(
    'docs',
    app,
    { ...document, paths: {}, components: {} },
    {
      raw: false,
      customSiteTitle: document.info.title,
      swaggerOptions: {
        spec: '',
        url: `${app.get(Config).rootPath}/openapi.json`,
        validatorUrl: null,
        persistAuthorization: true,
        deepLinking: true,
        displayRequestDuration: true,
        tryItOutEnabled: true,
      },
    },
  );
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

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/**
 * In place of the route that opens a file for every request: a few clients that ask often and do not read would use up
 * all the files that the process may open.
 */
function serveAssetsFromMemory(fastify: FastifyInstance): void {
  const require = createRequire(import.meta.url);
  const assets = new Map(
    Object.entries(ASSETS).map(([name, type]) => {
      const content = readFileSync(require.resolve(`swagger-ui-dist/${name}`));
      return [name, { type, content, etag: `"${createHash('sha256').update(content).digest('base64url')}"` }];
    }),
  );
  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    const asset = assets.get((request.params as { '*': string })['*']);
    if (!asset) throw new ApiError('not_found');
    const { type, content, etag } = asset;
    reply.headers({ etag, 'cache-control': 'no-cache' });
    return request.headers['if-none-match'] === etag
      ? reply.code(304).send()
      : reply.type(type).send(content);
  };
  fastify.addHook('onRoute', (route) => {
    if (route.url === '/docs/*') route.handler = serve;
  });
}
