import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { NoRoom } from '../api/errors/api-error.js';
import { JSON_TYPE } from '../api/media-types.js';
import { clientNetworks } from './client-networks.js';
import { prependHandler } from './http/prepend-handler.js';
import { isLate, keepTurnsShort } from './http/short-turns.js';
import { countOnceRead, release, releaseAll, releaseShares } from './in-flight-requests.js';
import { LIMITS } from './limits.js';
import { type LoadMonitor, TICK_MS } from './load-monitor.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { isApiTarget, normaliseTarget } from './request-target.js';
import { SECURITY_HEADERS } from './security-headers.js';

const REPORT_EVERY_MS = 10_000;
const REFUSAL = new NoRoom('The service has more to do than it can. Try again in a second.');
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
  trustedProxies: readonly string[],
): void {
  const { server } = instance;
  prependHandler(server, (request, response, handle) => {
    const target = normaliseTarget(request.url ?? '');
    if ((load.isOverloaded || isLate(request)) && isApiTarget(target)) {
      load.refuse(REFUSAL.message);
      refuse(request, response, {
        ...instance.deprecationHeaders?.(request.method ?? '', target),
        ...instance.originHeaders?.(request.headers.origin),
      });
      return;
    }
    handle(request, response);
  });
  keepTurnsShort(server, clientNetworks(trustedProxies)); // in front of that
  // Requests with a malformed target do not reach this hook and do not count.
  instance.addHook('onRequest', (request, reply, done) => {
    if (isApiTarget(request.url)) countOnceRead(request.raw, reply.raw, load);
    done();
  });
  server.on('connection', (socket) => socket.on('close', () => releaseAll(socket, load)));
  // A response that a client is slow to read is no load.
  instance.addHook('onSend', (_request, { raw, noRoom }, _payload, done) => {
    if (noRoom) load.refuse(noRoom);
    release(raw.req, load);
    releaseShares(raw.req, raw.statusCode < 400);
    done();
  });
  const ticking = setInterval(() => load.tick(performance.now()), TICK_MS).unref();
  const reporting = setInterval(() => {
    for (const [reason, refused] of load.takeRefusals()) instance.log.warn({ refused }, `No room: ${reason}`);
  }, REPORT_EVERY_MS).unref();
  server.on('close', () => {
    clearInterval(ticking);
    clearInterval(reporting);
  });
}

function refuse(request: IncomingMessage, response: ServerResponse, extra: Record<string, string>): void {
  const headers = [...HEADERS, REQUEST_ID, requestIdOf(request), ...Object.entries(extra).flat()];
  // Discard a short body; close the connection instead of reading a long one.
  if (!isShort(request)) headers.push('connection', 'close');
  response.writeHead(REFUSAL.status, headers).end(request.method === 'HEAD' ? undefined : BODY);
}

function isShort({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= LIMITS.bodyBytes
  );
}
