import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { ACCEPTED } from './accept.js';
import { prependHandler } from './prepend-handler.js';

const LATE = Symbol('late');

declare module 'node:http' {
  interface IncomingMessage {
    [LATE]?: boolean;
  }
}

const LIMITS = {
  /** The time for requests in a turn of the event loop. Far more than usual. */
  turnMs: 5,
  /** Until no connection has arrived for `quietMs`. */
  acceptingMs: 0.5,
  quietMs: 20,
  /** A wait above the longest normal response time. */
  lateMs: 500,
  /** Requests are late when those of their network, or all, have waited so long for this time: a crowd may come once. */
  lastingMs: 1_000,
};

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: RequestListener;
  readonly since: number;
}

interface Lateness {
  /** Since when each request has waited for too long. */
  lateSince?: number | undefined;
}

/** The waiting requests of a network. */
interface Crowd extends Lateness {
  readonly requests: WaitingRequest[];
}

/**
 * Lets requests beyond the time of a turn wait for the next ones, one of each network after another. Node.js accepts one
 * connection in each turn, so hundreds of busy connections would keep new ones waiting for as long as they are busy.
 */
export function keepTurnsShort(
  server: Server,
  networkOf: (request: IncomingMessage) => string,
  limits = LIMITS,
): void {
  /** By network. The first one is next. */
  const waiting = new Map<string, Crowd>();
  /** Of many networks, each may have one request at a time. */
  const everybody: Lateness = {};
  let startedAt: number | undefined;
  let acceptedAt = -Infinity;
  let hasAccepted = false;
  let restsUntil = -Infinity;

  const isOver = (now: number): boolean => {
    const { turnMs, acceptingMs, quietMs } = limits;
    return now - (startedAt ?? now) > (now - acceptedAt < quietMs ? acceptingMs : turnMs);
  };
  const beginTurn = (now: number): void => {
    startedAt = now;
    setImmediate(endTurn);
  };
  // Turns outlive the request that begins them, whose context they must not inherit.
  const endTurn = AsyncResource.bind((): void => {
    const now = performance.now();
    const mayAcceptMore = hasAccepted;
    hasAccepted = false;
    startedAt = undefined;
    if (waiting.size === 0) {
      everybody.lateSince = undefined;
      return;
    }
    beginTurn(now);
    // Connections get as much time as the requests had.
    if (mayAcceptMore && now < restsUntil) return;
    handleNext();
  });
  const wait = (waitingRequest: WaitingRequest): void => {
    const network = networkOf(waitingRequest.request);
    const crowd = waiting.get(network);
    if (crowd) crowd.requests.push(waitingRequest);
    else waiting.set(network, { requests: [waitingRequest] });
  };
  const takeNext = (): WaitingRequest | undefined => {
    for (const [network, crowd] of waiting) {
      waiting.delete(network);
      const next = crowd.requests.shift();
      if (crowd.requests.length > 0) waiting.set(network, crowd); // behind the others
      if (next) noteWait(next, crowd);
      return next;
    }
    return undefined;
  };
  const noteWait = ({ request, since }: WaitingRequest, crowd: Crowd): void => {
    const now = performance.now();
    request.waitedMs = now - since;
    const isLong = request.waitedMs > limits.lateMs;
    request[LATE] = false;
    for (const each of [crowd, everybody]) {
      each.lateSince = isLong ? (each.lateSince ?? now) : undefined;
      request[LATE] ||= now - (each.lateSince ?? now) > limits.lastingMs;
    }
  };
  const handleNext = (): void => {
    const next = takeNext();
    if (!next) return;
    const { request, response, handle } = next;
    if (request.socket.writable) handle(request, response);
    // After everything that follows from it at once, which is part of its time.
    queueMicrotask(() => process.nextTick(handleNextInTime));
  };
  const handleNextInTime = (): void => {
    const now = performance.now();
    if (!isOver(now)) handleNext();
    else restsUntil = now + now - (startedAt ?? now);
  };

  server.on(ACCEPTED, () => {
    acceptedAt = performance.now();
    hasAccepted = true;
  });
  prependHandler(server, (request, response, handle) => {
    const now = performance.now();
    if (startedAt === undefined) beginTurn(now);
    if (waiting.size > 0 || isOver(now)) wait({ request, response, handle, since: now });
    else handle(request, response);
  });
}

/** Whether it would only delay others that wait: its client has too many, and has had for too long. */
export function isLate(request: IncomingMessage): boolean {
  return request[LATE] ?? false;
}
