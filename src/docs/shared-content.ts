import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markShared } from '../edge/http/connections.js';
import { addVary } from '../edge/vary.js';

const gzip = promisify(gzipWithCallback);

/** Of a list in a header. Longer ones cost milliseconds each, and no browser sends them. */
const MOST_ITEMS = 20;

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

/** A coding and its weight (RFC 9110, 12.5.3). What does not match is ignored. */
const CODING = /^([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

function acceptsGzip(accepted: string | string[] = ''): boolean {
  const weights = new Map<string, number>();
  for (const item of String(accepted).toLowerCase().split(',', MOST_ITEMS)) {
    const [, coding, weight = '1'] = CODING.exec(item.trim()) ?? [];
    if (coding) weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  const other = weights.get('*') ?? 0;
  const gzip = weights.get('gzip') ?? other;
  return gzip > 0 && gzip >= (weights.get('identity') ?? other);
}

/** Compares tags weakly, as If-None-Match requires. */
function hasTag(tags: string | undefined, etag: string): boolean {
  return (tags ?? '')
    .split(',', MOST_ITEMS)
    .some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
