import { METHODS, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../common/config/config.js';
import { ApiError } from '../api/errors/api-error.js';
import { sendError } from './errors/send-error.js';
import { watchConnections } from './connections.js';
import { inviteLater } from './json-body.js';
import { LIMITS } from './limits.js';
import { malformedHttp } from './malformed-http.js';
import { sendInOneWrite } from './one-write.js';
import { lastExchange } from './pipelining.js';
import { refusal } from './refusal.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { isOfInterface, normalTarget } from './request-target.js';
import { SECURITY_HEADERS } from './security-headers.js';

const BAD_TARGET = 'The request target is not well-formed.';

/** Fastify, set up so that nothing reaches a handler that should not, and nothing leaves without our headers. */
export function createAdapter(logger: Logger, { trustedProxies }: Config): FastifyAdapter {
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    requestTimeout: LIMITS.requestMs,
    keepAliveTimeout: LIMITS.keepAliveMs,
    return503OnClosing: false,
    http: {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: LIMITS.headersMs,
      connectionsCheckingInterval: 1_000,
      // A missing Host is refused below, with an Error body; Node's own refusal has none.
      requireHostHeader: false,
    },
    // Longer than any request target may be: that limit has an answer of its own.
    routerOptions: { maxParamLength: 2 * LIMITS.urlBytes },
    rewriteUrl: ({ url = '' }) => normalTarget(url),
    clientErrorHandler: malformedHttp(logger),
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      begin(request, reply);
      sendError(
        refusal(request.raw, request.raw.url ?? '') ?? new ApiError('bad_request', BAD_TARGET),
        request,
        reply,
      );
      logAnswer(request, reply); // no hook runs here
    },
    skipMiddie: true,
  });
  const instance = adapter.getInstance();
  watchConnections(instance.server);
  sendInOneWrite(instance.server);
  prepare(instance);
  return adapter;
}

function prepare(instance: FastifyInstance): void {
  // Fastify reads a body before any guard has run. Declared to have none, requests reach the guards unread,
  // and the input pipe reads the body of those that may go on.
  for (const method of METHODS) instance.addHttpMethod(method, { overrideExisting: true });
  instance.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    request.body = request.raw;
    done(refusal(request.raw, request.originalUrl));
  });
  instance.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply);
    done();
  });
  // The bytes of headers are limited, not their number: Node would leave out what is beyond that.
  instance.server.maxHeadersCount = 0;
  // Expectations are ignored, as HTTP allows: Node would answer an unknown one with an empty 417.
  instance.server.on('checkExpectation', (request, response) => {
    instance.server.emit('request', request, response);
  });
  instance.server.on('checkContinue', (request, response) => {
    inviteLater(request, response);
    instance.server.emit('request', request, response);
  });
  // Node hands CONNECT over as a bare socket; routed like any other method, it gets the answer of its path.
  instance.server.on('connect', (request, socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // Node has taken its own listeners off, and stopped reading.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy()).resume();
    response.on('finish', () => socket.end(() => socket.destroy()));
    const before = lastExchange(socket as Socket)?.response;
    const connect = () => {
      if (!socket.destroyed) response.assignSocket(socket as Socket);
    };
    if (!before || before.closed) connect();
    else before.once('close', connect);
    instance.server.emit('request', request, response);
  });
}

function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      code: reply.errorCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key: request.caller?.name,
    },
    'request',
  );
}

/** What every answer carries. */
function begin(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(REQUEST_ID, request.id).headers(SECURITY_HEADERS);
  if (isOfInterface(request.url)) reply.header('cache-control', 'no-store');
}
