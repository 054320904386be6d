import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { prependHandler } from './prepend-handler.js';

/**
 * The time for requests in a turn of the event loop. Far more than usual, and less while connections arrive, for those
 * behind them; after `quietMs` without one, none waits.
 */
const LIMITS = { turnMs: 5, acceptingMs: 0.5, quietMs: 20 };

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: RequestListener;
  readonly since: number;
}

/**
 * Lets requests beyond the time of a turn wait for the next one, in their order. Node.js accepts one connection in each
 * turn, so hundreds of busy connections would keep new ones waiting for as long as they are busy. Returns since when the
 * oldest request waits, by `performance.now()`.
 */
export function keepTurnsShort(server: Server, limits = LIMITS): () => number | undefined {
  const waiting: WaitingRequest[] = [];
  let startedAt: number | undefined;
  let acceptedAt = -Infinity;

  const isOver = (now: number): boolean => {
    const { turnMs, acceptingMs, quietMs } = limits;
    return now - (startedAt ?? now) > (now - acceptedAt < quietMs ? acceptingMs : turnMs);
  };
  const beginTurn = (now: number): void => {
    startedAt = now;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    startedAt = undefined;
    if (waiting.length === 0) return;
    beginTurn(performance.now());
    handleNext();
  };
  const handleNext = (): void => {
    const next = waiting.shift();
    if (!next) return;
    if (next.request.socket.writable) next.handle(next.request, next.response);
    // After everything that follows from it at once, which is part of its time.
    queueMicrotask(() => process.nextTick(handleNextInTime));
  };
  const handleNextInTime = (): void => {
    if (!isOver(performance.now())) handleNext();
  };

  server.on('connection', () => (acceptedAt = performance.now()));
  prependHandler(server, (request, response, handle) => {
    const now = performance.now();
    if (startedAt === undefined) beginTurn(now);
    if (waiting.length > 0 || isOver(now)) waiting.push({ request, response, handle, since: now });
    else handle(request, response);
  });
  return () => waiting[0]?.since;
}
