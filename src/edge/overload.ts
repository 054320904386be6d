import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Announcements } from '../api/deprecation/announcements.js';
import { unavailable } from '../api/errors/api-error.js';
import { handleBefore } from './handle-before.js';
import { hasBody } from './json-body.js';
import { LIMITS } from './limits.js';
import { JSON_TYPE } from '../api/media-types.js';
import { type Pressure, TICK_MS } from './pressure.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { isOfInterface, normalTarget } from './request-target.js';
import { SECURITY_HEADERS } from './security-headers.js';

const TOLD_EVERY_MS = 10_000;
const REFUSAL = unavailable('The service has more to do than it can. Try again in a second.');
const BODY = JSON.stringify(REFUSAL);
const HEADERS = Object.entries({
  'content-type': JSON_TYPE,
  'content-length': String(Buffer.byteLength(BODY)),
  'cache-control': 'no-store',
  ...REFUSAL.headers,
  ...SECURITY_HEADERS,
}).flat();

/**
 * Refuses what is too much, in front of the router: a refusal must cost next to nothing of what an answer costs, or
 * a service that gets three times what it can do is busy with refusing. What is not under /v1 is served as always:
 * who watches the service has to see it then most of all.
 */
export function refuseOverload(
  instance: FastifyInstance,
  pressure: Pressure,
  announcements: Announcements,
): void {
  const { server } = instance;
  handleBefore(server, (request, response, handle) => {
    const target = normalTarget(request.url ?? '');
    if (pressure.isTooHigh && isOfInterface(target)) {
      pressure.refused++;
      refuse(request, response, announcements.ofTarget(request.method ?? '', target));
      return;
    }
    handle(request, response);
  });
  // What Fastify takes no further, a broken target or one request too many on its connection, is no work.
  instance.addHook('onRequest', (request, reply, done) => {
    if (isOfInterface(request.url)) countOnceRead(request.raw, reply.raw, pressure);
    done();
  });
  server.on('connection', (socket) => socket.on('close', () => endAll(socket, pressure)));
  // An answer that a client is slow to take is no work: it counts until it is made.
  instance.addHook('onSend', (_request, { raw }, _payload, done) => {
    end(raw, pressure);
    done();
  });
  const ticking = setInterval(() => pressure.tick(performance.now()), TICK_MS).unref();
  const telling = setInterval(() => {
    const refused = pressure.takeRefused();
    if (refused > 0) instance.log.warn({ refused }, 'overload: requests were refused');
  }, TOLD_EVERY_MS).unref();
  server.on('close', () => {
    clearInterval(ticking);
    clearInterval(telling);
  });
}

const COUNTED = Symbol('counted');
const OPEN = Symbol('open');

declare module 'node:http' {
  interface ServerResponse {
    /** Whether it is among those that are being worked on. */
    [COUNTED]?: boolean;
  }
}

declare module 'node:net' {
  interface Socket {
    /** How many of its requests are being worked on. */
    [OPEN]?: number;
  }
}

/** A body that a client is slow to send is no work either: such a request counts once it is read. */
function countOnceRead(request: IncomingMessage, response: ServerResponse, pressure: Pressure): void {
  const begin = (): void => {
    const { socket } = request;
    if (response.closed || response.headersSent || socket.destroyed) return;
    pressure.open++;
    socket[OPEN] = (socket[OPEN] ?? 0) + 1;
    response[COUNTED] = true;
  };
  if (hasBody(request)) request.on('end', begin);
  else begin();
}

function end(response: ServerResponse, pressure: Pressure): void {
  const { socket } = response.req;
  if (!response[COUNTED] || !socket[OPEN]) return;
  response[COUNTED] = false;
  socket[OPEN]--;
  pressure.open--;
}

/** The connection is gone, and with it whatever was to be answered. */
function endAll(socket: Socket, pressure: Pressure): void {
  pressure.open -= socket[OPEN] ?? 0;
  socket[OPEN] = 0;
}

function refuse(request: IncomingMessage, response: ServerResponse, announced: readonly string[]): void {
  const headers = [...HEADERS, REQUEST_ID, requestIdOf(request), ...announced];
  // A short body is passed over; a longer one is not worth the reading.
  if (!isShort(request)) headers.push('connection', 'close');
  response.writeHead(REFUSAL.status, headers).end(request.method === 'HEAD' ? undefined : BODY);
}

function isShort({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= LIMITS.bodyBytes
  );
}
