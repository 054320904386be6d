import { METHODS, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../common/config/config.js';
import { durationOf } from '../common/exchange.js';
import { ApiError } from '../api/errors/api-error.js';
import { sendError } from './errors/send-error.js';
import { deferContinue, owesBody } from './json-body.js';
import { LIMITS } from './limits.js';
import { ChunkLimitedRequest } from './http/chunk-limit.js';
import { answerMalformedHttp } from './http/malformed-http.js';
import { sendInOneWrite } from './http/one-write.js';
import { lastExchange } from './http/pipelining.js';
import { QuickHeadResponse } from './http/quick-head.js';
import { findFault } from './http/request-fault.js';
import { REQUEST_ID, requestIdOf } from './request-id.js';
import { isApiTarget, normaliseTarget } from './request-target.js';
import { SECURITY_HEADERS } from './security-headers.js';

const BAD_TARGET = 'The request target is not well-formed.';

/** Configures Fastify: limits, strict HTTP, request ids, common headers and the access log. */
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
      IncomingMessage: ChunkLimitedRequest,
      ServerResponse: QuickHeadResponse as typeof ServerResponse,
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: LIMITS.headersMs,
      connectionsCheckingInterval: 1_000,
      // `findFault` refuses a missing Host with an Error body; Node.js sends none.
      requireHostHeader: false,
    },
    // Longer than any target: `findFault` refuses targets that are too long.
    routerOptions: { maxParamLength: 2 * LIMITS.urlBytes },
    rewriteUrl: ({ url = '' }) => normaliseTarget(url),
    clientErrorHandler: answerMalformedHttp,
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      setCommonHeaders(request, reply);
      setHeadersOfHooks(request, reply);
      const fault = findFault(request.raw, request.raw.url ?? '') ?? new ApiError('bad_request', BAD_TARGET);
      closeIfBodyIsOwed(request, reply);
      sendError(fault, request, reply);
      logRequest(request, reply); // no hook runs here
    },
    skipMiddie: true,
  });
  const instance = adapter.getInstance();
  sendInOneWrite(instance.server);
  addHooks(instance);
  replaceDefaults(instance);
  return adapter;
}

function addHooks(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    request.body = request.raw;
    const fault = findFault(request.raw, request.originalUrl);
    if (fault) setHeadersOfHooks(request, reply);
    done(fault);
  });
  instance.addHook('onSend', (request, reply, _payload, done) => {
    closeIfBodyIsOwed(request, reply);
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/** Replaces what Fastify and Node.js do with bodies, header counts, expectations and CONNECT. */
function replaceDefaults(instance: FastifyInstance): void {
  const { server } = instance;
  // Fastify reads bodies before the guards run. It skips methods without a body, so the input pipe can read it later.
  for (const method of METHODS) instance.addHttpMethod(method, { overrideExisting: true });
  // Node.js silently drops headers beyond this; `findFault` refuses the request.
  server.maxHeadersCount = LIMITS.headers + 1;
  // Expectations are ignored, as HTTP allows: Node.js would answer an unknown one with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    deferContinue(request, response);
    server.emit('request', request, response);
  });
  // Node.js passes CONNECT on as a bare socket. It is routed like any other method.
  server.on('connect', (request, socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // Node.js has removed its own listeners and stopped reading.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy()).resume();
    response.on('finish', () => socket.end(() => socket.destroy()));
    const previous = lastExchange(socket as Socket)?.response;
    const connect = () => {
      if (!socket.destroyed) response.assignSocket(socket as Socket);
    };
    if (!previous || previous.closed) connect();
    else previous.once('close', connect);
    server.emit('request', request, response);
  });
}

/** Node.js would go on reading an unread body, however long it is and however slowly it comes. */
function closeIfBodyIsOwed({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (owesBody(raw)) reply.header('connection', 'close');
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { url, config } = request.routeOptions;
  request.log[config?.probe ? 'debug' : 'info'](
    {
      method: request.method,
      route: url,
      status: reply.statusCode,
      code: reply.errorCode,
      ms: Math.round(durationOf(request, reply) * 10) / 10,
      key: request.caller?.name,
    },
    'request',
  );
}

/** For answers to faults, which no hook of CORS or of a route reaches. */
function setHeadersOfHooks({ server, headers, method, url }: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    ...server.deprecationHeaders?.(method, url),
    ...server.originHeaders?.(headers.origin),
  });
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(REQUEST_ID, request.id).headers(SECURITY_HEADERS);
  if (isApiTarget(request.url)) reply.header('cache-control', 'no-store');
}
