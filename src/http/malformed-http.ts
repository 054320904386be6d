import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type ErrorCode, URL_BYTES } from '../api/error-catalogue.js';
import { ApiError } from '../api/errors.js';
import { JSON_TYPE } from '../api/media-types.js';

export type ParserError = Error & { code?: string; rawPacket?: Buffer };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers what the parser of Node.js refuses: there is no request object, but the answer is an Error all the same. */
export class MalformedHttp {
  private readonly latest = new WeakMap<Duplex, Exchange>();

  constructor(private readonly logger: Logger) {}

  /** The latest exchange of each connection, since answers keep the order of pipelined requests. */
  remember(request: IncomingMessage, response: ServerResponse): void {
    this.latest.set(request.socket, { request, response });
  }

  answer(error: ParserError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { request, response } = this.latest.get(socket) ?? {};
    const refusal = new ApiError(codeOf(error));
    if (!request || !response || response.closed) this.refuse(socket, refusal);
    else if (request.complete) response.once('close', () => this.refuse(socket, refusal));
    // The body is malformed. A second answer would be taken for that of the next request.
    else if (response.headersSent) socket.destroy();
    else this.refuse(socket, refusal);
  }

  refuse(socket: Duplex, error: ApiError): void {
    const requestId = randomUUID();
    this.logger.info({ requestId, status: error.status, code: error.code }, 'malformed request');
    if (!socket.writable) return;
    socket.on('error', () => socket.destroy());
    socket.end(rawResponse(error, requestId), () => socket.destroy());
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
