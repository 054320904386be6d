import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RouteHandlerMethod } from 'fastify';
import { addVary } from '../cors.js';

/** Answers with content that is the same for every client. It is loaded and compressed when the first asks for it. */
export function shared(type: string, load: () => string | Buffer, headers: Record<string, string>): RouteHandlerMethod {
  const prepare = async () => {
    const plain = Buffer.from(load());
    const hash = createHash('sha256').update(plain).digest('base64url');
    return { plain, hash, compressed: await promisify(gzip)(plain) };
  };
  let content: ReturnType<typeof prepare> | undefined;
  return async (request, reply) => {
    const { plain, hash, compressed } = await (content ??= prepare());
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding']));
    const etag = `"${hash}${takesGzip ? '-gzip' : ''}"`;
    addVary(reply.headers({ ...headers, etag, 'cache-control': 'no-cache' }), 'accept-encoding');
    const known = (request.headers['if-none-match'] ?? '').split(',');
    if (known.some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')))) return reply.code(304).send();
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return reply.type(type).send(takesGzip ? compressed : plain);
  };
}
