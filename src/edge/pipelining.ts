import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { handleBefore } from './handle-before.js';
import { LIMITS } from './limits.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly before: ServerResponse | undefined;
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
 * Handles the requests of a connection one after the other. Node.js parses all pipelined requests of a packet at once
 * and keeps every answer until the ones before it are sent: a client that reads slowly would fill the memory with
 * answers. A request costs a fraction of its answer, and the number of those that are held is limited too.
 */
export function handleInTurn(server: Server, limits: Limits = LIMITS): void {
  let heldInAll = 0;
  const hold = (socket: Socket, difference: number): number => {
    heldInAll += difference;
    return (socket[HELD] = (socket[HELD] ?? 0) + difference);
  };
  server.on('connection', (socket) => socket.once('close', () => hold(socket, -(socket[HELD] ?? 0))));
  handleBefore(server, (request, response, handle) => {
    const { socket } = request;
    socket[LAST] = { request, response, before: socket[LAST]?.response };
    // A response gets its socket once the one before it is sent.
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
      // Later, as the response is still being connected to its socket.
      process.nextTick(handleIfOpen, handle, request, response);
    });
  });
}

function handleIfOpen(handle: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.writable) handle(request, response);
}

/** The last request of a connection, with its response and the one before. */
export function lastExchange(socket: Socket): Exchange | undefined {
  return socket[LAST];
}
