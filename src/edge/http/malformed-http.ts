import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ApiError } from '../../api/errors/api-error.js';
import type { ErrorCode } from '../../api/errors/error-catalogue.js';
import { LIMITS } from '../limits.js';
import { JSON_TYPE } from '../../api/media-types.js';
import { type Exchange, lastExchange } from './pipelining.js';
import { REQUEST_ID, requestIdOf } from '../request-id.js';
import { SECURITY_HEADERS } from '../security-headers.js';

const refused = new WeakSet<Socket>();

/** Answers requests that the HTTP parser rejects. A request object exists only if the head was well-formed. */
export function malformedHttp(logger: Logger) {
  return (error: Error, socket: Socket): void => {
    if (isReset(error) || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser also rejects all bytes that follow; only the first error is answered.
    if (refused.has(socket)) return;
    refused.add(socket);
    const code = codeOf(error, socket);
    const answer = (): void => {
      const refusal = new ApiError(code);
      const requestId = idOf(lastExchange(socket));
      logger.info({ requestId, status: refusal.status, code }, 'malformed request');
      endInOrder(socket, refusal, requestId);
    };
    if (code === 'request_timeout') soon(answer);
    else answer();
  };
}

const PORTION = 50;
let waiting: (() => void)[] = [];

/** In portions: Node.js reports all late requests at once, and to answer thousands takes some hundred milliseconds. */
function soon(answer: () => void): void {
  if (waiting.push(answer) === 1) setImmediate(answerSome);
}

function answerSome(): void {
  const some = waiting.slice(0, PORTION);
  waiting = waiting.slice(PORTION);
  if (waiting.length > 0) setImmediate(answerSome);
  for (const answer of some) answer();
}

/** The id of the request whose body is malformed, or a new id when the head is. */
function idOf(last: Exchange | undefined): string {
  return last && !last.request.complete ? requestIdOf(last.request) : randomUUID();
}

/** Sends the error after the responses of earlier requests, and none to a request that has its response. */
function endInOrder(socket: Socket, error: ApiError, requestId: string): void {
  const { request, response, previous } = lastExchange(socket) ?? {};
  const again = () => endInOrder(socket, error, requestId);
  if (previous && !previous.closed) previous.once('close', again);
  else if (response && !response.closed && (request?.complete || response.headersSent)) {
    response.once('close', again);
  } else if (!socket.writable) socket.destroy();
  // The body of an answered request is malformed: a client would take a second response for that of its next request.
  else if (response?.headersSent && !request?.complete) socket.destroySoon();
  else socket.end(rawResponse(error, requestId), () => socket.destroySoon());
}

/** Formats a whole HTTP response, since no response object exists. */
function rawResponse(error: ApiError, requestId: string): string {
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
  // Node.js counts the request target as part of the headers. Only the latest packet is at hand; when it is also the
  // first, an overlong first line shows that the target is at fault.
  const { rawPacket } = error;
  if (!rawPacket || socket.bytesRead > rawPacket.length) return 'headers_too_large';
  const firstLine = rawPacket.indexOf('\n');
  return firstLine < 0 || firstLine > LIMITS.urlBytes ? 'uri_too_long' : 'headers_too_large';
}
