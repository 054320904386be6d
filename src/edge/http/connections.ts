import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../limits.js';
import { screenConnections } from './accept.js';
import { forgetAnswered } from './pipelining.js';

const SHARED = Symbol('shared response');

declare module 'node:net' {
  interface Socket {
    [SHARED]?: ServerResponse | undefined;
    /** Internal to Node.js. The public `writableLength` does not change while a large chunk is being sent. */
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  }
}

interface Progress {
  read: number;
  readAt: number;
  sent: number;
  sentAt: number;
  unsent: number;
  /** The time at which the oldest unsent byte was written. */
  unsentSince: number;
}

/**
 * `stalled` takes nothing of its response, `silent` sends nothing, `slow` takes too little of too much, `queued` waits for
 * a worker with too many others.
 */
export const CLOSE_REASONS = ['stalled', 'silent', 'slow', 'queued'] as const;
export const CLOSED_CONNECTIONS = {
  name: 'http_connections_closed_total',
  help: 'Connections that the service closed.',
  labelNames: ['reason'],
} as const;
type CloseReason = (typeof CLOSE_REASONS)[number];

interface Limits {
  connections: number;
  stalledMs: number;
  silentMs: number;
  unsentBytes: number;
}

/**
 * Closes stalled connections, silent ones when connections get scarce, and the slowest readers when unsent responses take
 * too much memory. Node.js has time-outs for clients that send slowly, and none for clients that read slowly.
 */
export function watchConnections(
  server: Server,
  limits: Limits = LIMITS,
  onClose: (reason: CloseReason) => void = () => {},
): void {
  const open = new Map<Socket, Progress>();
  const roundMs = limits.stalledMs / 10;
  // The time for clients to make progress: it stands still while this process is paused, which is not their fault.
  let now = 0;
  let checkedAt = performance.now();
  server.maxConnections = limits.connections;
  // Of several workers, each would otherwise pass a connection beyond its limit to the next, again and again.
  Object.assign(server, { dropMaxConnection: true });
  screenConnections(server);
  server.on('connection', (socket) => {
    open.set(socket, { read: 0, readAt: now, sent: 0, sentAt: now, unsent: 0, unsentSince: now });
    socket.once('close', () => open.delete(socket));
  });
  const timer = setInterval(() => {
    now += Math.min(performance.now() - checkedAt, 2 * roundMs);
    checkedAt = performance.now();
    const silentMs = open.size > limits.connections / 2 ? limits.silentMs : Infinity;
    for (const [socket, progress] of open) {
      update(progress, socket, now);
      forgetAnswered(socket);
      if (socket[SHARED]?.writableFinished) socket[SHARED] = undefined;
      // A reset: after an orderly close, the kernel would keep the unread bytes.
      if (now - progress.sentAt >= limits.stalledMs) {
        onClose('stalled');
        socket.resetAndDestroy();
      } else if (now - progress.readAt >= silentMs) {
        onClose('silent');
        socket.destroy();
      }
    }
    for (const socket of slowestReaders(open, limits.unsentBytes)) {
      onClose('slow');
      socket.resetAndDestroy();
    }
  }, roundMs);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}

function update(progress: Progress, socket: Socket, now: number): void {
  const unsent = socket._handle?.writeQueueSize ?? socket.writableLength;
  const sent = socket.bytesWritten - unsent;
  if (unsent === 0 || sent - progress.sent >= progress.unsent) progress.unsentSince = now;
  if (unsent === 0 || sent !== progress.sent) progress.sentAt = now;
  if (socket.bytesRead !== progress.read) progress.readAt = now;
  Object.assign(progress, { unsent, sent, read: socket.bytesRead });
}

/** The readers to close so that the unsent bytes of the others fit. */
function slowestReaders(open: ReadonlyMap<Socket, Progress>, maxBytes: number): Socket[] {
  const readers = [...open].filter(([socket, { unsent }]) => unsent > 0 && hasOwnBytes(socket));
  readers.sort(([, a], [, b]) => a.unsentSince - b.unsentSince);
  let excess = readers.reduce((sum, [, { unsent }]) => sum + unsent, -maxBytes);
  const slowest: Socket[] = [];
  for (const [socket, { unsent }] of readers) {
    if (excess <= 0) break;
    slowest.push(socket);
    excess -= unsent;
  }
  return slowest;
}

/** Marks a response whose bytes are the same buffer for all clients: a slow reader of it takes no memory. */
export function markShared(response: ServerResponse): void {
  response.req.socket[SHARED] = response;
}

function hasOwnBytes(socket: Socket): boolean {
  return socket[SHARED]?.writableFinished ?? true;
}
