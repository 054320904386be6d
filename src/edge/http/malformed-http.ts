import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../api/errors/api-error.js';
import type { ErrorCode } from '../../api/errors/error-catalogue.js';
import { LIMITS } from '../limits.js';
import { JSON_TYPE } from '../../api/media-types.js';
import { lastExchange } from './pipelining.js';
import { REQUEST_ID, requestIdOf } from '../request-id.js';
import { normaliseTarget } from '../request-target.js';
import { SECURITY_HEADERS } from '../security-headers.js';

const refused = new WeakSet<Socket>();

interface Faulty {
  method?: string | undefined;
  url?: string | undefined;
  id?: string;
}

type ParserError = Error & { code?: string; rawPacket?: Buffer };

/** Answers requests that the HTTP parser rejects. A request object exists only if the head was well-formed. */
export function answerMalformedHttp(this: FastifyInstance, error: Error, socket: Socket): void {
  if (isReset(error) || !socket.writable) {
    socket.destroy();
    return;
  }
  // The parser also rejects all bytes that follow; only the first error is answered.
  if (refused.has(socket)) return;
  refused.add(socket);
  const firstPacket = firstPacketOf(error, socket);
  const code = codeOf(error, firstPacket);
  const answer = (): void => {
    const { method = '', url = '', id: requestId = randomUUID() } = faultyRequest(socket, firstPacket);
    const refusal = new ApiError(code, undefined, this.deprecationHeaders?.(method, normaliseTarget(url)));
    this.log.info({ requestId, status: refusal.status, code }, 'malformed request');
    endInOrder(socket, refusal, requestId);
  };
  if (code === 'request_timeout') soon(answer);
  else answer();
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

/** What is known of the request at fault: of a malformed head, only what the first packet of a connection has. */
function faultyRequest(socket: Socket, firstPacket: Buffer | undefined): Faulty {
  const request = lastExchange(socket)?.request;
  if (request) {
    const { complete, method, url } = request;
    return complete ? {} : { method, url, id: requestIdOf(request) };
  }
  const [, method, url] = /^\s*(\S+) (\S+)/.exec(firstPacket?.toString('latin1') ?? '') ?? [];
  return { method, url };
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
    ...Object.entries({ ...SECURITY_HEADERS, ...error.headers }).map(([name, value]) => `${name}: ${value}`),
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function isReset(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

/** Node.js hands over the latest packet only. */
function firstPacketOf({ rawPacket }: ParserError, { bytesRead }: Socket): Buffer | undefined {
  return rawPacket && bytesRead <= rawPacket.length ? rawPacket : undefined;
}

function codeOf(error: ParserError, firstPacket: Buffer | undefined): ErrorCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node.js counts the request target as part of the headers. An overlong first line shows that it is at fault.
  if (!firstPacket) return 'headers_too_large';
  const firstLine = firstPacket.indexOf('\n');
  return firstLine < 0 || firstLine > LIMITS.urlBytes ? 'uri_too_long' : 'headers_too_large';
}
