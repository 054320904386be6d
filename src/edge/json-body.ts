import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../api/errors/api-error.js';
import { NonInt64Number, parseJson } from '../common/json/parse-json.js';
import { LIMITS } from './limits.js';
import { countHeader } from './raw-headers.js';

/**
 * Reads the JSON object that a request carries. It runs after the guards: the body of a request without
 * a valid key is never looked at. What is here already is read at once, without a promise.
 */
export function readJsonBody(request: IncomingMessage): object | Promise<object> {
  requireJson(request);
  const bytes = readBytes(request);
  return bytes instanceof Promise ? bytes.then(objectOf) : objectOf(bytes);
}

function objectOf(bytes: Buffer): object {
  const value = parse(decode(bytes));
  // A number outside int64 is an object to JavaScript, but none of JSON.
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof NonInt64Number) {
    throw new ApiError('invalid_json', 'The body must be a JSON object.');
  }
  return value;
}

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

function requireJson({ headers, rawHeaders }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) {
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  if (countHeader(rawHeaders, 'content-type') > 1 || !JSON_MEDIA_TYPE.test(headers['content-type'] ?? '')) {
    throw new ApiError('unsupported_media_type', 'Send the body with one Content-Type: application/json.');
  }
}

/** Clients that asked whether to send their body (Expect: 100-continue). They are told when it is wanted. */
const asking = new WeakMap<IncomingMessage, ServerResponse>();

export function inviteLater(request: IncomingMessage, response: ServerResponse): void {
  asking.set(request, response);
}

function readBytes(request: IncomingMessage): Buffer | Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > LIMITS.bodyBytes) throw tooLarge();
  asking.get(request)?.writeContinue();
  // Mostly the body came with the head, and is here as a whole.
  if (length === 0 || request.destroyed || request.readableLength !== length) return collectBytes(request);
  const bytes = request.read() as Buffer;
  request[READ_AT_ONCE] = true;
  request.resume(); // to its end, which others wait for
  return bytes;
}

const READ_AT_ONCE = Symbol('read at once');

declare module 'node:http' {
  interface IncomingMessage {
    /** Nothing of it is outstanding, although Node.js has not called it complete yet. */
    [READ_AT_ONCE]?: true;
  }
}

/** Whether a part of the body is still on its way. */
export function owesBody(request: IncomingMessage): boolean {
  return !request.complete && !request[READ_AT_ONCE] && hasBody(request);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function collectBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      // The rest is left unread: whoever answers ends the connection.
      if (size > LIMITS.bodyBytes) stop(() => reject(tooLarge()));
    };
    const stop = (settle: () => void): void => {
      request.off('data', take).off('end', end).off('error', broken).off('close', broken).pause();
      settle();
    };
    const end = (): void => stop(() => resolve(Buffer.concat(chunks)));
    // The connection broke off in the middle of the body; nobody is left to read this.
    const broken = (): void =>
      stop(() => reject(new ApiError('bad_request', 'The request ended before its body did.')));
    if (request.destroyed && !request.readableEnded) broken();
    else request.on('data', take).on('end', end).on('error', broken).on('close', broken);
  });
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `The body must not be larger than ${LIMITS.bodyBytes} bytes.`);
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  return bytes.toString();
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError('invalid_json', `The body is not valid JSON: ${error.message}.`);
  }
}
