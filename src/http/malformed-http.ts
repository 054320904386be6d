import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { JSON_TYPE } from '../api/body.js';
import { ApiError, type ErrorCode, HEADER_BYTES, noSuchPath, URL_BYTES } from '../api/errors.js';

/** How long the client of a refused connection may take to read the refusal. */
const REFUSAL_MS = 5_000;

export type ParserError = Error & { code?: string; rawPacket?: Buffer };

/** Answers what the HTTP parser of Node.js refuses. Fastify never sees such a request, but its client gets an Error, too. */
export class MalformedHttp {
  private readonly latest = new WeakMap<Duplex, ServerResponse>();

  constructor(private readonly logger: Logger) {}

  /** Remembers the latest response of a connection, because a refusal must not overtake the answers to earlier requests. */
  remember(response: ServerResponse): void {
    this.latest.set(response.req.socket, response);
  }

  answer(error: ParserError, socket: Duplex): void {
    const response = this.latest.get(socket);
    const refuse = () => this.refuse(socket, new ApiError(codeOf(error)));
    if (!response || response.closed) refuse();
    else if (response.req.complete) response.once('close', refuse);
    // The body of the latest request is malformed. If its answer has begun, or has to wait for earlier ones, a refusal would
    // be taken for a part of that answer, or for the answer to an earlier request.
    else if (response.headersSent || !response.socket) socket.destroy();
    else refuse();
  }

  refuse(socket: Duplex, error: ApiError): void {
    socket.on('error', () => socket.destroy());
    if (!socket.writable) return void socket.destroy(); // the client has reset the connection
    const requestId = randomUUID();
    this.logger.info({ requestId, status: error.status, code: error.code }, 'malformed request');
    socket.end(rawResponse(error, requestId), () => socket.destroy());
    // Node.js sets no time limit for the socket of a CONNECT: a client that reads nothing would hold it for ever.
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  }
}

function codeOf({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node.js counts the request target as part of the headers. If the first line is too long, that was the reason.
  const firstLine = rawPacket?.indexOf('\n') ?? 0;
  return firstLine < 0 || firstLine > URL_BYTES ? 'uri_too_long' : 'headers_too_large';
}

function rawResponse(error: ApiError, requestId: string): string {
  const body = JSON.stringify(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Stands for a path that cannot be decoded. No client can send it, because of the space. */
const UNDECODABLE = '/ ';

/** The request target, without the scheme and host that it may have. A target such as `*` becomes an unknown path. */
export function pathOf({ url = '' }: { url?: string }): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  try {
    decodeURI(path.split('?', 1)[0]!);
  } catch {
    return UNDECODABLE; // the router would answer without an Error body
  }
  return path.startsWith('/') ? path : `/${encodeURIComponent(path)}`;
}

/** The connection is closed, because it may be uncertain where the request ends and the next one begins. */
const malformed = new ApiError('bad_request', undefined, { connection: 'close' });
const tooLarge = new ApiError('headers_too_large', undefined, { connection: 'close' });

/** Finds what the contract forbids, although the parser and the router let it through. */
export function faultOf({ originalUrl, url, params, headers, raw }: FastifyRequest): ApiError | undefined {
  if (originalUrl.length > URL_BYTES) return new ApiError('uri_too_long');
  // Node.js counts only names and values, not the two bytes after each of them.
  if (raw.rawHeaders.reduce((sum, { length }) => sum + length + 2, 0) > HEADER_BYTES) return tooLarge;
  const { host, 'transfer-encoding': coding = 'chunked' } = headers;
  const isHttp11 = raw.httpVersion === '1.1' && host !== undefined && /^chunked$/i.test(coding);
  const isHttp = isHttp11 || (raw.httpVersion === '1.0' && headers['transfer-encoding'] === undefined);
  if (!isHttp || host?.includes(', ') || url === UNDECODABLE || originalUrl.includes('#')) return malformed;
  // The router takes an empty segment for a parameter, but `/pets/` does not match `/pets/{petId}`.
  return Object.values(params as object).includes('') ? noSuchPath() : undefined;
}
