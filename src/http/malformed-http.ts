import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { JSON_TYPE } from '../api/body.js';
import { ApiError, type ErrorCode, HEADER_BYTES, URL_BYTES } from '../api/errors.js';
import { countHeader } from '../common/headers.js';

export type ParserError = Error & { code?: string; rawPacket?: Buffer };

/** Answers what the parser of Node.js refuses: there is no request object, but the answer is an Error all the same. */
export class MalformedHttp {
  private readonly latest = new WeakMap<Duplex, ServerResponse>();

  constructor(private readonly logger: Logger) {}

  /** The latest response on each connection, since answers keep the order of pipelined requests. */
  remember(response: ServerResponse): void {
    this.latest.set(response.req.socket, response);
  }

  answer(error: ParserError, socket: Duplex): void {
    const response = this.latest.get(socket);
    const refuse = () => this.refuse(socket, new ApiError(codeOf(error)));
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (!response || response.closed) refuse();
    else if (response.req.complete) response.once('close', refuse);
    // The body is malformed. The answer would be taken for that of another request, before this one or after it.
    else if (response.headersSent || !response.socket) socket.destroy();
    else refuse();
  }

  refuse(socket: Duplex, error: ApiError): void {
    const requestId = randomUUID();
    this.logger.info({ requestId, status: error.status, code: error.code }, 'malformed request');
    socket.on('error', () => socket.destroy());
    if (socket.writable) socket.end(rawResponse(error, requestId), () => socket.destroy());
    else socket.destroy();
  }
}

function codeOf({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node.js counts the request target as part of the headers. An overlong first line shows that it is at fault.
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

/**
 * What the parser of Node.js lets through and the contract does not. Where such a request ends may be uncertain, so its
 * connection is not used again.
 */
export function faultOf(request: IncomingMessage, target: string): ApiError | undefined {
  if (target.length > URL_BYTES) return new ApiError('uri_too_long');
  const size = request.rawHeaders.join(': ').length + 2; // a separator follows each name and each value
  if (size > HEADER_BYTES) return new ApiError('headers_too_large', undefined, { connection: 'close' });
  const problem = problemOf(request, target);
  return problem === undefined ? undefined : new ApiError('bad_request', problem, { connection: 'close' });
}

function problemOf({ httpVersion, headers, rawHeaders }: IncomingMessage, target: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The request must be of HTTP/1.1.';
  if (target.includes('#')) return 'The request target must not have a fragment.';
  if (!isDecodable(target)) return 'The request target is not well-formed.';
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'The request must have exactly one Host header.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return 'The one Transfer-Encoding is chunked, in HTTP/1.1.';
  return undefined;
}

/** Whether the percent-encoding of the path is that of a text. Otherwise the router would answer by itself. */
export function isDecodable(target: string): boolean {
  try {
    decodeURI(target.split('?', 1)[0]!);
    return true;
  } catch {
    return false;
  }
}
