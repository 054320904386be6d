import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Announcements } from '../api/deprecation/announcements.js';
import { unavailable } from '../api/errors/api-error.js';
import { handleBefore } from './handle-before.js';
import { LIMITS } from './limits.js';
import { countOnceRead, end, endAll } from './open-requests.js';
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
    end(raw.req, pressure);
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
