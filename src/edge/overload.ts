import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { DeprecationHeaders } from '../api/deprecation/deprecation-headers.js';
import { unavailable } from '../api/errors/api-error.js';
import { JSON_TYPE } from '../api/media-types.js';
import { prependHandler } from './http/prepend-handler.js';
import { hasBody } from './json-body.js';
import { LIMITS } from './limits.js';
import { type LoadMonitor, TICK_MS } from './load-monitor.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { isApiTarget, normaliseTarget } from './request-target.js';
import { SECURITY_HEADERS } from './security-headers.js';

const REPORT_EVERY_MS = 10_000;
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
 * Refuses API requests during overload, in front of the router: a refusal must cost a fraction of a response, or a
 * flood of requests keeps the service busy with refusals. Health checks are always answered, since monitoring needs them
 * most during overload.
 */
export function refuseOverload(
  instance: FastifyInstance,
  load: LoadMonitor,
  deprecationHeaders: DeprecationHeaders,
): void {
  const { server } = instance;
  prependHandler(server, (request, response, handle) => {
    const target = normaliseTarget(request.url ?? '');
    if (load.isOverloaded && isApiTarget(target)) {
      load.refused++;
      refuse(request, response, deprecationHeaders.ofTarget(request.method ?? '', target));
      return;
    }
    handle(request, response);
  });
  // Requests with a malformed target do not reach this hook and do not count.
  instance.addHook('onRequest', (request, reply, done) => {
    if (isApiTarget(request.url)) countOnceRead(request.raw, reply.raw, load);
    done();
  });
  server.on('connection', (socket) => socket.on('close', () => releaseAll(socket, load)));
  // A response that a client is slow to read is no load.
  instance.addHook('onSend', (_request, { raw }, _payload, done) => {
    release(raw, load);
    done();
  });
  const ticking = setInterval(() => load.tick(performance.now()), TICK_MS).unref();
  const reporting = setInterval(() => {
    const refused = load.takeRefused();
    if (refused > 0) instance.log.warn({ refused }, 'overload: requests were refused');
  }, REPORT_EVERY_MS).unref();
  server.on('close', () => {
    clearInterval(ticking);
    clearInterval(reporting);
  });
}

const COUNTED = Symbol('counted');
const IN_FLIGHT = Symbol('in flight');

declare module 'node:http' {
  interface ServerResponse {
    [COUNTED]?: boolean;
  }
}

declare module 'node:net' {
  interface Socket {
    /** The number of counted requests of the connection. */
    [IN_FLIGHT]?: number;
  }
}

/** Counts a request once its body has arrived: a client that is slow to send is no load. */
function countOnceRead(request: IncomingMessage, response: ServerResponse, load: LoadMonitor): void {
  const count = (): void => {
    const { socket } = request;
    if (response.closed || response.headersSent || socket.destroyed) return;
    load.inFlight++;
    socket[IN_FLIGHT] = (socket[IN_FLIGHT] ?? 0) + 1;
    response[COUNTED] = true;
  };
  if (hasBody(request)) request.on('end', count);
  else count();
}

function release(response: ServerResponse, load: LoadMonitor): void {
  const { socket } = response.req;
  if (!response[COUNTED] || !socket[IN_FLIGHT]) return;
  response[COUNTED] = false;
  socket[IN_FLIGHT]--;
  load.inFlight--;
}

/** Releases the requests of a closed connection: their responses will not be sent. */
function releaseAll(socket: Socket, load: LoadMonitor): void {
  load.inFlight -= socket[IN_FLIGHT] ?? 0;
  socket[IN_FLIGHT] = 0;
}

function refuse(request: IncomingMessage, response: ServerResponse, extra: readonly string[]): void {
  const headers = [...HEADERS, REQUEST_ID, requestIdOf(request), ...extra];
  // A short body is read and discarded; a longer one is not worth it.
  if (!isShort(request)) headers.push('connection', 'close');
  response.writeHead(REFUSAL.status, headers).end(request.method === 'HEAD' ? undefined : BODY);
}

function isShort({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= LIMITS.bodyBytes
  );
}
