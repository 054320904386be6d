import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { prependHandler } from './prepend-handler.js';
import { LIMITS } from '../limits.js';

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
    [LAST]?: Exchange;
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
 * held request takes a fraction of its response, and the number of held requests is limited.
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
    socket[LAST] = { request, response, previous: socket[LAST]?.response };
    // A response gets its socket once the previous one is sent.
    if (response.socket) {
      handle(request, response);
      return;
    }
    if (socket.destroyed) return;
    if (hold(socket, 1) >= limits.pipelined || heldInAll > limits.pipelinedInAll) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      hold(socket, -1);
      // Node.js emits the event before it has finished assigning the socket.
      process.nextTick(handleIfOpen, handle, request, response);
    });
  });
}

function handleIfOpen(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.writable) handle(request, response);
}

/** The latest request of a connection, with its response and the previous one. */
export function lastExchange(socket: Socket): Exchange | undefined {
  return socket[LAST];
}
