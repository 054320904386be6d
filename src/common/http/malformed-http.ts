import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { LIMITS } from './limits.js';
import { JSON_TYPE } from './media-types.js';
import { REQUEST_ID } from './request-id.js';

/** The last request of each connection, with its response and the one before. */
const turns = new WeakMap<
  Socket,
  { request: IncomingMessage; response: ServerResponse; before?: ServerResponse }
>();
const refused = new WeakSet<Socket>();

/** To be told of each request, so that what comes after it on its connection is answered after it. */
export function noteRequest(request: IncomingMessage, response: ServerResponse): void {
  const before = turns.get(request.socket)?.response;
  turns.set(request.socket, { request, response, ...(before && { before }) });
}

/** Answers what the HTTP parser refuses: no request exists yet, only a socket. */
export function answerMalformedHttp(error: Error, socket: Socket): void {
  if (isReset(error) || !socket.writable) {
    socket.destroy();
    return;
  }
  // The parser complains of whatever else comes, too; the first complaint is the answer.
  if (refused.has(socket)) return;
  refused.add(socket);
  endInTurn(socket, new ApiError(codeOf(error)));
}

/** Answers leave in the order of their requests, and each request gets one. */
function endInTurn(socket: Socket, error: ApiError): void {
  const { request, response, before } = turns.get(socket) ?? {};
  const again = () => endInTurn(socket, error);
  if (before && !before.closed) before.once('close', again);
  else if (response && !response.closed && (request?.complete || response.headersSent)) {
    response.once('close', again);
  } else if (!socket.writable) socket.destroy();
  // The fault lies in the body of a request that was answered: a second answer would pass for that of the next.
  else if (response?.headersSent && !request?.complete) socket.destroySoon();
  else socket.end(rawAnswer(error), () => socket.destroySoon());
}

/** A whole HTTP answer as text, for the places where no response object exists. */
export function rawAnswer(error: ApiError): string {
  const body = JSON.stringify(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID}: ${randomUUID()}`,
    'cache-control: no-store',
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function isReset(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function codeOf(error: Error & { code?: string; rawPacket?: Buffer }): ErrorCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node counts the request target as part of the headers: a first line without an end tells them apart.
  const firstLine = error.rawPacket?.indexOf('\n') ?? 0;
  return firstLine < 0 || firstLine > LIMITS.urlBytes ? 'uri_too_long' : 'headers_too_large';
}
