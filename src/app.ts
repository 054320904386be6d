import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { API_PREFIX } from './common/api-prefix.js';
import { type Clock, SystemClock } from './common/clock.js';
import type { Config } from './common/config/config.js';
import { patchTypesOf } from './api/media-types.js';
import { installResponseTransforms } from './api/responses/transform-response.decorator.js';
import { serveRepeatableRoutes } from './api/responses/repeatable-routes.js';
import { createAdapter } from './edge/adapter.js';
import { allowOrigins } from './edge/cors.js';
import { collectMethods } from './edge/methods.js';
import { takePatchTypes } from './edge/patch-types.js';
import { attachErrors } from './api/errors/route-errors.js';
import { DeclaredErrors } from './api/errors/declared-errors.js';
import { DeprecationRegistry } from './api/deprecation/deprecation-registry.js';
import { DeprecationHeaders } from './api/deprecation/deprecation-headers.js';
import { refuseOverload } from './edge/overload.js';
import { CLOSE_REASONS, CLOSED_CONNECTIONS, watchConnections } from './edge/http/connections.js';
import { handleInOrder } from './edge/http/pipelining.js';
import { LIMITS } from './edge/limits.js';
import { LoadMonitor } from './edge/load-monitor.js';
import { Metrics } from './observability/metrics.js';
import { measureRequests } from './observability/request-metrics.js';
import { traceRequests } from './observability/start-tracing.js';
import { Tracing } from './observability/tracing.js';
import { Shutdown } from './edge/shutdown.js';
import { createLogger, lostLogLines, NestLogger } from './observability/logger.js';
import { documentJson } from './api/document/document-text.js';
import { compileSerialisers } from './api/document/compile-serialisers.js';
import { StatementQueues } from './database/batching/statement-queues.js';
import { markStaleAnswers } from './database/standbys/stale-answers.js';
import { nameOwners } from './database/transactions/owned-requests.js';
import { connectionFor, type DatabaseConnection } from './database/connection.js';
import { serveDocs } from './docs/docs.js';
import { buildDocument } from './api/document/build-document.js';

interface Parts {
  clock?: Clock;
  connection?: DatabaseConnection;
  logger?: Logger;
  /** Features beside those of `AppModule`: samples of tests. */
  features?: Type[];
}

/** Builds the application for the service, the tests and the tools. It is ready to listen. */
export async function createApp(config: Config, parts: Parts = {}): Promise<NestFastifyApplication> {
  const app = await assembleApp(config, parts);
  const fastify = app.getHttpAdapter().getInstance();
  const document = buildDocument(app);
  const patchTypes = patchTypesOf(document);
  if (config.corsOrigins.length > 0) allowOrigins(fastify, config.corsOrigins, document);
  limitAndObserve(app, config);
  handleInOrder(fastify.server); // runs before the overload check: the step installed last runs first
  app.get(Shutdown).attachTo(fastify);
  const methods = collectMethods(fastify, patchTypes);
  takePatchTypes(fastify, patchTypes);
  new DeprecationHeaders(document, app.get(DeprecationRegistry)).attachTo(fastify);
  attachErrors(fastify, document, app.get(DeclaredErrors));
  const queues = app.get(StatementQueues);
  const { standbys } = queues;
  if (standbys?.allowsStale) markStaleAnswers(fastify, standbys);
  nameOwners(fastify, queues);
  installResponseTransforms(app, fastify);
  serveRepeatableRoutes();
  const json = documentJson(document);
  compileSerialisers(fastify, JSON.parse(json) as OpenAPIObject);
  serveDocs(app, document, json);
  await app.init();
  methods.answerOthers();
  return app;
}

/** Installs overload protection, traces and request metrics. */
function limitAndObserve(app: NestFastifyApplication, config: Config): void {
  const fastify = app.getHttpAdapter().getInstance();
  const metrics = app.get(Metrics);
  const load = app.get(LoadMonitor);
  refuseOverload(fastify, load, config.trustedProxies);
  metrics.gauge('http_requests_in_flight', 'Requests in flight.', () => load.inFlight);
  metrics.total(
    'http_requests_refused_total',
    'Requests refused for want of room: overload, or the share of a key or a network.',
    () => load.refused,
  );
  const { name, help } = CLOSED_CONNECTIONS;
  const closed = metrics.counter(name, help, ['reason']);
  for (const reason of CLOSE_REASONS) closed.inc({ reason }, 0);
  watchConnections(fastify.server, LIMITS, (reason) => closed.inc({ reason }));
  metrics.total('log_lines_lost_total', 'Log lines that could not be written.', lostLogLines);
  if (config.tracesEndpoint !== undefined) traceRequests(fastify, app.get(Tracing));
  if (config.metricsPort === undefined) return;
  const codes = app.get(DeclaredErrors).allKinds();
  measureRequests(
    fastify,
    metrics,
    codes.map(({ code }) => code),
  );
}

/** Builds the application without initialising it: no routes and no connections. */
export async function assembleApp(config: Config, parts: Parts = {}): Promise<NestFastifyApplication> {
  const { clock = new SystemClock(), logger = createLogger(config), features = [] } = parts;
  const connection = parts.connection ?? (await connectionFor(config));
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, clock, connection, features),
    createAdapter(logger, config),
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready'] });
  return app;
}
