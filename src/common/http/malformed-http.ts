import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { LIMITS } from './limits.js';
import { JSON_TYPE } from './media-types.js';
import { REQUEST_ID } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** Answers what the HTTP parser refuses: no request exists yet, only a socket. */
export function answerMalformedHttp(error: Error, socket: Socket): void {
  if (isReset(error) || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(new ApiError(codeOf(error))), () => socket.destroySoon());
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

function codeOf(error: Error & { code?: string; rawPacket?: Buffer }): ErrorCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  // Node counts the request target as part of the headers: a first line without an end tells them apart.
  const firstLine = error.rawPacket?.indexOf('\n') ?? 0;
  return firstLine < 0 || firstLine > LIMITS.urlBytes ? 'uri_too_long' : 'headers_too_large';
}
