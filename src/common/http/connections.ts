import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from './limits.js';

interface Progress {
  read: number;
  sent: number;
  readAt: number;
  sentAt: number;
}

interface Limits {
  connections: number;
  stalledMs: number;
  silentMs: number;
}

/**
 * Cuts off who holds a connection and does nothing with it. Node times what a client sends; this times what a client
 * takes: one that takes nothing of its answer for a while is given up. And when connections get scarce, the silent
 * ones make room.
 */
export function watchConnections(server: Server, limits: Limits = LIMITS): void {
  const open = new Map<Socket, Progress>();
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => {
    const now = performance.now();
    open.set(socket, { read: 0, sent: 0, readAt: now, sentAt: now });
    socket.once('close', () => open.delete(socket));
  });
  const timer = setInterval(() => {
    const silentMs = open.size > limits.connections / 2 ? limits.silentMs : Infinity;
    for (const [socket, progress] of open) check(socket, progress, limits.stalledMs, silentMs);
  }, limits.stalledMs / 10);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}

function check(socket: Socket, progress: Progress, stalledMs: number, silentMs: number): void {
  const now = performance.now();
  const waiting = socket.writableLength;
  const sent = socket.bytesWritten - waiting;
  if (waiting === 0 || sent !== progress.sent) Object.assign(progress, { sent, sentAt: now });
  if (socket.bytesRead !== progress.read) Object.assign(progress, { read: socket.bytesRead, readAt: now });
  // A reset instead of an orderly end: the kernel would go on keeping what nobody takes.
  if (now - progress.sentAt >= stalledMs) socket.resetAndDestroy();
  else if (now - progress.readAt >= silentMs) socket.destroy();
}
