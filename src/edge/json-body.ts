import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../api/errors/api-error.js';
import { NonInt64Number, parseJson } from '../common/json/parse-json.js';
import { LIMITS } from './limits.js';
import { countHeader } from './http/raw-headers.js';

/**
 * Reads the body as a JSON object. Call it after the guards: the body of a request without a valid key must not be read.
 * It returns a promise only for a body that has not arrived yet.
 */
export function readJsonBody(request: IncomingMessage): object | Promise<object> {
  const bytes = request[BYTES] ?? readCheckedBytes(request);
  return bytes instanceof Promise ? bytes.then(objectOf) : objectOf(bytes);
}

const BYTES = Symbol('bytes of the body');

declare module 'node:http' {
  interface IncomingMessage {
    /** The body, once it was read for its bytes. */
    [BYTES]?: Buffer;
  }
}

/** Reads the bytes of a JSON body. `readJsonBody` parses the same bytes later, more than once if it must. */
export function readBodyBytes(request: IncomingMessage): Buffer | Promise<Buffer> {
  const bytes = readCheckedBytes(request);
  if (bytes instanceof Promise) return bytes.then((read) => (request[BYTES] = read));
  return (request[BYTES] = bytes);
}

function readCheckedBytes(request: IncomingMessage): Buffer | Promise<Buffer> {
  requireJson(request);
  return readBytes(request);
}

function objectOf(bytes: Buffer): object {
  const value = parse(decode(bytes));
  const isNumber = value instanceof NonInt64Number; // an object in JavaScript
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNumber) {
    throw new ApiError('invalid_json', 'The body must be a JSON object.');
  }
  return value;
}

const TYPES = Symbol('media types');

declare module 'node:http' {
  interface IncomingMessage {
    /** The media types of a PATCH body. Other bodies are plain JSON. */
    [TYPES]?: readonly string[];
  }
}

/** Sets the media types that `readJsonBody` takes, and a 415 names in `Accept-Patch` (RFC 5789). */
export function takeTypes(request: IncomingMessage, types: readonly string[]): void {
  request[TYPES] = types;
}

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
const MEDIA_TYPE = /^([^ \t;]+)[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

function requireJson(request: IncomingMessage): void {
  const { headers, rawHeaders, [TYPES]: types } = request;
  if (headers['content-encoding'] !== undefined) {
    throw unsupported('Send the body without a Content-Encoding.', types);
  }
  const given = headers['content-type'] ?? '';
  const isKnown =
    JSON_MEDIA_TYPE.test(given) || types?.includes(MEDIA_TYPE.exec(given)?.[1]?.toLowerCase() ?? '');
  if (!isKnown || countHeader(rawHeaders, 'content-type') > 1) {
    const names = types?.join(' or ') ?? 'application/json';
    throw unsupported(`Send the body with one Content-Type: ${names}.`, types);
  }
}

function unsupported(message: string, types: readonly string[] | undefined): ApiError {
  return new ApiError('unsupported_media_type', message, types && { 'accept-patch': types.join(', ') });
}

/** Requests with `Expect: 100-continue`. 100 Continue is sent after the guards accept the request. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();

export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  awaitingContinue.set(request, response);
}

function readBytes(request: IncomingMessage): Buffer | Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > LIMITS.bodyBytes) throw tooLarge();
  awaitingContinue.get(request)?.writeContinue();
  // Most bodies arrive with the head.
  if (length === 0 || request.destroyed || request.readableLength !== length) return collectBytes(request);
  const bytes = request.read() as Buffer;
  request[READ_AT_ONCE] = true;
  request.resume(); // emits 'end'
  return bytes;
}

const READ_AT_ONCE = Symbol('read at once');

declare module 'node:http' {
  interface IncomingMessage {
    /** The whole body was read, although `complete` is not set yet. */
    [READ_AT_ONCE]?: true;
  }
}

/** Tells whether part of the body has yet to arrive. */
export function owesBody(request: IncomingMessage): boolean {
  if (request.complete || request[READ_AT_ONCE] || !hasBody(request)) return false;
  return request.readableLength !== Number(request.headers['content-length']);
}

/** Whether the operation reads a body. Others ignore what is sent. */
export function readsBody({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.errors?.codes.has('unsupported_media_type') ?? false;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function collectBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Copied, since each chunk may be a byte, which takes hundreds in memory.
    const bytes = Buffer.allocUnsafe(Number(request.headers['content-length'] ?? LIMITS.bodyBytes));
    let size = 0;
    const take = (chunk: Buffer): void => {
      // The rest stays unread; the response closes the connection.
      if (size + chunk.length > bytes.length) stop(() => reject(tooLarge()));
      else size += chunk.copy(bytes, size);
    };
    const stop = (settle: () => void): void => {
      request.off('data', take).off('end', end).off('error', broken).off('close', broken).pause();
      settle();
    };
    const end = (): void => stop(() => resolve(bytes.subarray(0, size)));
    // This error reaches no client: the connection is closed.
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
