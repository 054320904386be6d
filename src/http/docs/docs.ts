import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject, ServerObject } from '@nestjs/swagger';
import type { RouteHandlerMethod } from 'fastify';
import { stringify } from 'lossless-json';
import { JSON_TYPE } from '../../api/body.js';
import { noSuchPath } from '../../api/errors.js';
import { Config } from '../../common/config.js';

/** Media types by the extension of the path. */
const TYPES: Record<string, string> = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': JSON_TYPE,
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml; charset=utf-8',
};
const FOLDER = new URL('page/', import.meta.url);
const PAGES = { '/docs': 'index.html', '/docs/': 'index.html', '/docs/guide': 'guide.html' };
const OF_SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'];

type Load = () => string | Buffer | Promise<string>;

/** Serves the document, Swagger UI with our plugin and style, and the guide: without a key, and without the internet. */
export function serveDocs(app: NestFastifyApplication, document: OpenAPIObject, json: string): void {
  const config = app.get(Config);
  const { rootPath } = config;
  const fastify = app.getHttpAdapter().getInstance();
  const headers = {
    'content-security-policy': contentSecurityPolicy(config),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
  const serve = (path: string, load: Load): void => {
    fastify.get(path, cached(TYPES[extname(path)]!, load, path.startsWith('/docs') ? headers : {}));
  };
  const own = (name: string) => readFileSync(new URL(name, FOLDER));
  const page = (name: string) =>
    String(own(name)).replaceAll('{title}', document.info.title).replaceAll('{root}', rootPath);

  serve('/openapi.json', () => json);
  serve('/openapi.yaml', async () => (await import('yaml')).stringify(document, { aliasDuplicateObjects: false }));
  serve('/docs/document.json', () => documentForPage(document, config));
  for (const [path, name] of Object.entries(PAGES)) serve(path, () => page(name));
  for (const name of readdirSync(FOLDER)) if (!name.endsWith('.html')) serve(`/docs/${name}`, () => own(name));
  for (const name of OF_SWAGGER_UI)
    serve(`/docs/${name}`, () => readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`))));

  fastify.get('/', ({ headers: { accept = '' } }, reply) => {
    void reply.header('vary', 'accept');
    if (!accept.includes('text/html')) throw noSuchPath(); // probably a client with a wrong base URL
    return reply.redirect(`${rootPath}/docs`, 303);
  });
}

/**
 * The document for Swagger UI, which rounds large numbers: so bounds become words, and examples become JSON text. Leaves out
 * servers that no setting names, since their addresses are only examples.
 */
function documentForPage(document: OpenAPIObject, { apiBase, productionUrl, stagingUrl }: Config): string {
  const served = new Set([apiBase, productionUrl, stagingUrl]);
  return stringify(document, (name, member) => {
    if (typeof member !== 'object' || member === null) return member;
    if (name === 'servers') return (member as ServerObject[]).filter(({ url }) => served.has(url));
    if (name === 'value') return stringify(member, undefined, 2);
    return withBoundsInWords(member as Members);
  })!;
}

type Members = Record<string, unknown>;

/** Adds the bounds to the description of a parameter or a schema. The page shows a parameter's own, not its schema's. */
function withBoundsInWords(one: Members): Members {
  const { minimum, maximum } = (one['schema'] ?? one) as Members;
  if (minimum === undefined || maximum === undefined) return one;
  const { minimum: _minimum, maximum: _maximum, description = '', ...rest } = one;
  return { ...rest, description: `${description as string} From ${minimum as bigint} to ${maximum as bigint}.`.trim() };
}

/** Allows scripts of this service, requests to the document's servers, and inline styles, which Swagger UI needs. */
function contentSecurityPolicy({ publicUrl, productionUrl, stagingUrl }: Config): string {
  const servers = [publicUrl, productionUrl, stagingUrl].flatMap((url) => (url ? [new URL(url).origin] : []));
  return [
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    `connect-src ${["'self'", ...new Set(servers)].join(' ')}`,
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  ].join('; ');
}

/** Answers every client with the same content, which is loaded and compressed once, when it is first asked for. */
function cached(type: string, load: Load, headers: Record<string, string>): RouteHandlerMethod {
  const prepare = async () => {
    const plain = Buffer.from(await load());
    return { plain, digest: hash('sha256', plain, 'base64url'), compressed: await promisify(gzip)(plain) };
  };
  let content: ReturnType<typeof prepare> | undefined;
  return async (request, reply) => {
    const { plain, digest, compressed } = await (content ??= prepare()); // simultaneous requests share one promise
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding']));
    const etag = `"${digest}${takesGzip ? '-gzip' : ''}"`;
    void reply.headers({ ...headers, etag, vary: 'accept-encoding, origin', 'cache-control': 'no-cache' });
    const known = request.headers['if-none-match'] ?? '';
    if (known.includes(etag) || known === '*') return reply.code(304).send();
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return reply.type(type).send(takesGzip ? compressed : plain);
  };
}
