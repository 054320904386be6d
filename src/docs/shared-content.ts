import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markShared } from '../edge/http/connections.js';
import { addVary } from '../edge/vary.js';

const gzip = promisify(gzipWithCallback);

/** Bytes that every client gets, without a copy. They are compressed once, when a client first asks for that. */
export class SharedContent {
  private readonly hash: string;
  private compressed: Promise<Buffer> | undefined;

  constructor(
    private readonly type: string,
    private readonly content: Buffer,
  ) {
    this.hash = createHash('sha256').update(content).digest('base64url');
  }

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isCompressed = acceptsGzip(headers['accept-encoding']);
    const etag = `"${this.hash}${isCompressed ? '-gzip' : ''}"`;
    reply.headers({ etag, 'cache-control': 'no-cache' });
    addVary(reply, 'accept-encoding');
    if (hasTag(headers['if-none-match'], etag)) return reply.code(304).send();
    markShared(reply.raw);
    reply.type(this.type);
    if (!isCompressed) return reply.send(this.content);
    return reply.header('content-encoding', 'gzip').send(await this.compress());
  }

  private compress(): Promise<Buffer> {
    this.compressed ??= gzip(this.content);
    this.compressed.catch(() => (this.compressed = undefined));
    return this.compressed;
  }
}

function acceptsGzip(accepted: string | string[] = ''): boolean {
  return String(accepted)
    .split(',')
    .some((item) => {
      const [coding, weight = 'q=1'] = item.split(';').map((part) => part.trim().toLowerCase());
      return coding === 'gzip' && Number(weight.slice('q='.length)) > 0;
    });
}

/** Compares tags weakly, as If-None-Match requires. */
function hasTag(tags: string | undefined, etag: string): boolean {
  return (tags ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
