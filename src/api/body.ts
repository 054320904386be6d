import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, BODY_BYTES } from './errors.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The rest of the body stays unread. */
const tooLarge = new ApiError('payload_too_large', undefined, { connection: 'close' });

const MEDIA_TYPE = /^([^ \t;]+)[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** The media types that a method takes. */
export function mediaTypesOf(method: string | undefined): string[] {
  return ['application/json', ...(method === 'PATCH' ? ['application/merge-patch+json'] : [])];
}

/**
 * Reads the body of the request that a response is for, unless it has been read. That is asked for after the guards, so that
 * nobody without a key has one read, or is told to send it.
 */
export async function readBody(response: ServerResponse | Buffer): Promise<Buffer> {
  if (Buffer.isBuffer(response)) return response;
  const request = response.req;
  requireMediaType(request);
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > BODY_BYTES) throw tooLarge;
  const { expect = '' } = request.headers;
  if (/^100-continue$/i.test(expect) && request.httpVersion === '1.1') response.writeContinue();
  if (length === 0 || request.readableLength !== length) return collect(request);
  const bytes = request.read() as Buffer; // most bodies arrive with the head
  request.resume(); // to its end
  return bytes;
}

function requireMediaType({ method, headers }: IncomingMessage): void {
  const types = mediaTypesOf(method);
  const given = MEDIA_TYPE.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? '';
  if (headers['content-encoding'] === undefined && types.includes(given)) return;
  const message = `Send the body in UTF-8, uncompressed, with one Content-Type: ${types.join(' or ')}.`;
  const accept = method === 'PATCH' && { 'accept-patch': types.join(', ') };
  throw new ApiError('unsupported_media_type', message, { ...accept });
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_BYTES) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('bad_request'); // the client is gone
  }
  return Buffer.concat(chunks);
}
