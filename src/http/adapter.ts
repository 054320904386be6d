import { randomUUID } from 'node:crypto';
import { type IncomingMessage, METHODS } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { REQUEST_ID_PATTERN } from '../api/document/describe-operation.js';
import { isTaken, OTHER_TYPE } from '../api/body.js';
import { ApiError, HEADER_BYTES } from '../api/errors.js';
import type { Config } from '../common/config.js';
import { faultOf, MalformedHttp, type ParserError, pathOf } from './malformed-http.js';

const WELL_FORMED_ID = new RegExp(REQUEST_ID_PATTERN);

/** These headers keep browsers from showing an answer as a page, and caches from storing it. /docs replaces some. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Fastify with the limits and the common headers of the service. */
export function createAdapter(logger: Logger, { trustedProxies }: Config): FastifyAdapter {
  const malformed = new MalformedHttp(logger);
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    // Log lines name their requests themselves, because a child logger for each request would cost more than its line.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    requestTimeout: 10_000,
    // Disconnects clients that do not read their answers. Not sooner: the kernel may send a slow reader nothing for 30 s.
    connectionTimeout: 60_000,
    return503OnClosing: false, // requests are still answered during a shutdown
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: 6_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // Node.js would answer with no body: see `faultOf`
      joinDuplicateHeaders: true, // joined by a comma and a space; by default, Node.js drops some duplicates
    },
    routerOptions: { maxParamLength: HEADER_BYTES }, // longer than any target, so that the router itself refuses none
    rewriteUrl: pathOf,
    clientErrorHandler: (error, socket) => malformed.answer(error as unknown as ParserError, socket),
    skipMiddie: true, // relies on Nest: its `init()` would load plugins before all routes are registered
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.decorateRequest('caller', null);
  fastify.decorateRequest('runOnce', (work) => work()); // with an Idempotency-Key: see `ChangeGuard`
  fastify.decorateReply('error', null);
  // Methods that Fastify does not know have to be answered with 405, too, and so must be added.
  for (const method of METHODS) if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method);
  // Fastify would read bodies before the guards run. This parser only hands the stream on, and `readBody` reads it later.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  fastify.addHook('onRequest', (request, reply, done) => {
    malformed.remember(reply.raw);
    reply.header('x-request-id', request.id).headers(COMMON_HEADERS);
    const { 'content-type': type } = request.headers;
    // Fastify's setter keeps the other headers.
    if (type !== undefined && !isTaken(type, request.method)) request.headers = { 'content-type': OTHER_TYPE };
    done(faultOf(request));
  });
  fastify.server.maxHeadersCount = 0; // Node.js would drop headers beyond a count; `maxHeaderSize` is limit enough
  // Other expectations than 100 Continue are ignored, as HTTP allows. Node.js would answer 417.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.server.on('connect', (_request, socket) => malformed.refuse(socket, new ApiError('not_found')));
  return adapter;
}

/** The X-Request-Id of the request when it is well-formed, else a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED_ID.test(given) ? given : randomUUID();
}
