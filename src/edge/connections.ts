import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from './limits.js';

const UNANSWERED = Symbol('unanswered');

declare module 'node:net' {
  interface Socket {
    /** How many of its requests wait for their answer. */
    [UNANSWERED]?: number;
  }
}

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

/**
 * Requests may follow each other without waiting for answers, but not without end: Node hands over all that arrive at
 * once, and each would be worked on and its answer kept, for a client that perhaps reads none of them.
 */
export function limitPipelining(instance: FastifyInstance, limit: number = LIMITS.pipelined): void {
  const count = (socket: Socket, difference: number): number =>
    (socket[UNANSWERED] = (socket[UNANSWERED] ?? 0) + difference);
  instance.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    if (count(socket, 1) <= limit) {
      done();
      return;
    }
    reply.hijack();
    socket.destroy();
  });
  instance.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    count(socket, -1);
    done();
  });
}
