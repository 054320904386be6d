import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../limits.js';
import { CHUNK_BYTES } from './chunk-limit.js';
import { prependHandler } from './prepend-handler.js';
import { sizeOf } from './raw-headers.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The response to the request before, on the same connection. */
  readonly previous: ServerResponse | undefined;
}

const LAST = Symbol('last exchange');
const HELD = Symbol('held requests');

declare module 'node:net' {
  interface Socket {
    [LAST]?: Exchange | undefined;
    [HELD]?: number;
  }
}

interface Limits {
  pipelined: number;
  pipelinedInAll: number;
}

/**
 * Handles the pipelined requests of a connection one at a time. Node.js would handle all requests of a packet at once
 * and buffer each response until the previous ones are sent, so a slow reader could fill the memory with responses. A
 * held request takes a fraction of its response, and the number of held requests is limited; a large one counts as several.
 */
export function handleInOrder(server: Server, limits: Limits = LIMITS): void {
  let heldInAll = 0;
  const hold = (socket: Socket, difference: number): number => {
    heldInAll += difference;
    return (socket[HELD] = (socket[HELD] ?? 0) + difference);
  };
  server.on('connection', (socket) => socket.once('close', () => hold(socket, -(socket[HELD] ?? 0))));
  prependHandler(server, (request, response, handle) => {
    const { socket } = request;
    const previous = socket[LAST]?.response;
    socket[LAST] = { request, response, previous: previous?.closed ? undefined : previous };
    // A response gets its socket once the previous one is sent.
    if (response.socket) {
      handle(request, response);
      return;
    }
    if (socket.destroyed) return;
    const weight = weightOf(request);
    if (hold(socket, weight) >= limits.pipelined || heldInAll > limits.pipelinedInAll) {
      socket.destroy();
      return;
    }
    // The response before, which hands over the socket, is sent in the context of its own request.
    const handleOutside = AsyncResource.bind(handleIfOpen);
    response.once('socket', () => {
      hold(socket, -weight);
      // Once Node.js has finished assigning the socket, and after requests of other connections.
      setImmediate(handleOutside, handle, request, response);
    });
  });
}

/** What the lightest request takes in memory, about. */
const UNIT_BYTES = 4_096;
/** What a header takes, in a list and an object, beside its text. */
const HEADER_BYTES = 128;
/** Node.js reads no more of a body that nobody reads. */
const MOST_BODY_BYTES = 65_536;

function weightOf({ headers, rawHeaders }: IncomingMessage): number {
  const isChunked = headers['transfer-encoding'] !== undefined;
  const body = isChunked
    ? LIMITS.chunks * CHUNK_BYTES
    : Math.min(Number(headers['content-length'] ?? 0), MOST_BODY_BYTES);
  const head = sizeOf(rawHeaders) + (rawHeaders.length / 2) * HEADER_BYTES;
  return 1 + Math.floor((head + body) / UNIT_BYTES);
}

function handleIfOpen(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.writable) handle(request, response);
}

/** Frees the request of an idle connection. Its headers can take twenty times their bytes. */
export function forgetAnswered(socket: Socket): void {
  const last = socket[LAST];
  if (last?.response.closed && last.request.complete) socket[LAST] = undefined;
}

/** The latest request of a connection, with its response and the previous one until they are sent. */
export function lastExchange(socket: Socket): Exchange | undefined {
  return socket[LAST];
}
