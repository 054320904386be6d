import { METHODS, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { sendError } from '../errors/send-error.js';
import { limitPipelining, watchConnections } from './connections.js';
import { LIMITS } from './limits.js';
import { answerMalformedHttp } from './malformed-http.js';
import { countHeader } from './raw-headers.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';

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
    routerOptions: { maxParamLength: LIMITS.urlBytes },
    clientErrorHandler: answerMalformedHttp,
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      begin(request, reply);
      sendError(new ApiError('bad_request', 'The request target is not well-formed.'), request, reply);
    },
    skipMiddie: true,
  });
  const instance = adapter.getInstance();
  watchConnections(instance.server);
  limitPipelining(instance);
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
    done(refusal(request));
  });
  instance.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key: request.user?.name,
      },
      'request',
    );
    done();
  });
  // Expectations are ignored, as HTTP allows: Node would answer an unknown one with an empty 417.
  instance.server.on('checkExpectation', (request, response) => {
    instance.server.emit('request', request, response);
  });
  // Node hands CONNECT over as a bare socket; routed like any other method, it gets the answer of its path.
  instance.server.on('connect', (request, socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.on('finish', () => socket.end());
    instance.server.emit('request', request, response);
  });
}

/** What every answer carries. */
function begin(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(REQUEST_ID, request.id).headers(SECURITY_HEADERS);
  if (/^\/v1(?:[/?]|$)/.test(request.url)) reply.header('cache-control', 'no-store');
}

function refusal({ raw }: FastifyRequest): ApiError | undefined {
  if (raw.url !== undefined && raw.url.length > LIMITS.urlBytes) return new ApiError('uri_too_long');
  const hosts = countHeader(raw.rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) {
    return new ApiError('bad_request', 'The request must have exactly one Host header.');
  }
  return undefined;
}
