import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError, BODY_BYTES } from './errors.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The connection is closed, because the rest of the body is not read, and must not be taken for the next request. */
const tooLarge = new ApiError('payload_too_large', undefined, { connection: 'close' });

const MEDIA_TYPE = /^([^ \t;]+)[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

export function mediaTypesOf(method: string | undefined): string[] {
  return ['application/json', ...(method === 'PATCH' ? ['application/merge-patch+json'] : [])];
}

/** Replaces any Content-Type that a method does not take. Fastify would refuse malformed ones before the key is checked. */
export const OTHER_TYPE = 'other/other';

/** Reads the body of a request. Call it after the global guards, so that without a valid key nothing is read. */
export function readBody({ method, headers, body }: FastifyRequest): Buffer | Promise<Buffer> {
  requireMediaType(method, headers);
  const length = Number(headers['content-length'] ?? 0);
  if (length > BODY_BYTES) throw tooLarge;
  const stream = body as IncomingMessage; // see the content type parser of the adapter
  if (length === 0 || stream.readableLength !== length) return collect(stream);
  const bytes = stream.read() as Buffer; // most bodies arrive with the head
  stream.resume(); // lets the stream end
  return bytes;
}

export function isTaken(contentType: string, method: string): boolean {
  return mediaTypesOf(method).includes(MEDIA_TYPE.exec(contentType)?.[1]?.toLowerCase() ?? '');
}

function requireMediaType(method: string, headers: IncomingMessage['headers']): void {
  const { 'content-type': type = OTHER_TYPE, 'content-encoding': encoding } = headers;
  if (type !== OTHER_TYPE && encoding === undefined) return;
  const types = mediaTypesOf(method);
  const message = `Send the body in UTF-8, uncompressed, with one Content-Type: ${types.join(' or ')}.`;
  const accept = method === 'PATCH' && { 'accept-patch': types.join(', ') };
  throw new ApiError('unsupported_media_type', message, { ...accept });
}

async function collect(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('bad_request'); // the client is gone
  }
  return Buffer.concat(chunks);
}
