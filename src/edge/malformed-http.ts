import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ApiError } from '../api/errors/api-error.js';
import type { ErrorCode } from '../api/errors/error-catalogue.js';
import { LIMITS } from './limits.js';
import { JSON_TYPE } from '../api/media-types.js';
import { type Exchange, lastExchange } from './pipelining.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';

const refused = new WeakSet<Socket>();

/** Answers what the HTTP parser refuses: no request exists yet, only a socket. */
export function malformedHttp(logger: Logger) {
  return (error: Error, socket: Socket): void => {
    if (isReset(error) || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser complains of whatever else comes, too; the first complaint is the answer.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refusal = new ApiError(codeOf(error, socket));
    const requestId = idOf(lastExchange(socket));
    logger.info({ requestId, status: refusal.status, code: refusal.code }, 'malformed request');
    endInTurn(socket, refusal, requestId);
  };
}

/** The id of the request whose body is at fault; a new one for what never became a request. */
function idOf(last: Exchange | undefined): string {
  return last && !last.request.complete ? requestIdOf(last.request) : randomUUID();
}

/** Answers leave in the order of their requests, and each request gets one. */
function endInTurn(socket: Socket, error: ApiError, requestId: string): void {
  const { request, response, before } = lastExchange(socket) ?? {};
  const again = () => endInTurn(socket, error, requestId);
  if (before && !before.closed) before.once('close', again);
  else if (response && !response.closed && (request?.complete || response.headersSent)) {
    response.once('close', again);
  } else if (!socket.writable) socket.destroy();
  // The fault lies in the body of a request that was answered: a second answer would pass for that of the next.
  else if (response?.headersSent && !request?.complete) socket.destroySoon();
  else socket.end(rawAnswer(error, requestId), () => socket.destroySoon());
}

/** A whole HTTP answer as text, for the places where no response object exists. */
function rawAnswer(error: ApiError, requestId: string): string {
  const body = JSON.stringify(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID}: ${requestId}`,
    'cache-control: no-store',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function isReset(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function codeOf(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): ErrorCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node counts the request target as part of the headers. A first line without an end tells them apart, where it
  // can be seen: the packet at hand is the last one, and the first only when nothing was read before it.
  const { rawPacket } = error;
  if (!rawPacket || socket.bytesRead > rawPacket.length) return 'headers_too_large';
  const firstLine = rawPacket.indexOf('\n');
  return firstLine < 0 || firstLine > LIMITS.urlBytes ? 'uri_too_long' : 'headers_too_large';
}
