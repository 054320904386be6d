import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { type Clock, SystemClock } from './common/clock.js';
import type { Config } from './common/config/config.js';
import { makeAnswers } from './common/http/answer.js';
import { createAdapter } from './common/http/adapter.js';
import { allowOrigins } from './common/http/cors.js';
import { collectMethods } from './common/http/methods.js';
import { Deprecations } from './common/deprecation/deprecations.js';
import { Announcements } from './common/deprecation/announcements.js';
import { refuseOverload } from './common/http/overload.js';
import { handleInTurn } from './common/http/pipelining.js';
import { Pressure } from './common/http/pressure.js';
import { Metrics } from './common/metrics/metrics.js';
import { measureRequests } from './common/metrics/request-metrics.js';
import { traceRequests } from './common/tracing/start-tracing.js';
import { Tracing } from './common/tracing/tracing.js';
import { Shutdown } from './common/http/shutdown.js';
import { createLogger, lostLogLines, NestLogger } from './common/logging/logger.js';
import { documentJson } from './common/openapi/document-text.js';
import { serialiseByDocument } from './common/openapi/serialise-by-document.js';
import { connectionFor, type DatabaseConnection } from './database/connection.js';
import { serveDocs } from './docs/docs.js';
import { buildDocument } from './openapi.js';

interface Parts {
  clock?: Clock;
  connection?: DatabaseConnection;
  logger?: Logger;
}

/** Builds the application, ready to listen: the one way to do so, for the service, its tests and its tools. */
export async function createApp(config: Config, parts: Parts = {}): Promise<NestFastifyApplication> {
  const app = await assembleApp(config, parts);
  const fastify = app.getHttpAdapter().getInstance();
  const document = buildDocument(app);
  const announcements = new Announcements(document, app.get(Deprecations), '/v1');
  if (config.corsOrigins.length > 0) allowOrigins(fastify, config.corsOrigins);
  watchFromOutside(app, config, announcements);
  handleInTurn(fastify.server); // after what refuses overload: the last one put in front comes first
  app.get(Shutdown).attachTo(fastify);
  const methods = collectMethods(fastify);
  announcements.attachTo(fastify);
  makeAnswers(app, fastify);
  serialiseByDocument(fastify, JSON.parse(documentJson(document)) as OpenAPIObject, '/v1');
  serveDocs(app, document);
  await app.init();
  methods.answerOthers();
  return app;
}

/** What an operator sees of the requests, and what is refused when there are too many of them. */
function watchFromOutside(app: NestFastifyApplication, config: Config, announcements: Announcements): void {
  const fastify = app.getHttpAdapter().getInstance();
  const metrics = app.get(Metrics);
  const pressure = new Pressure(config.maxConcurrentRequests);
  refuseOverload(fastify, pressure, announcements);
  metrics.gauge('http_requests_in_flight', 'Requests that are being worked on.', () => pressure.open);
  metrics.total('http_requests_refused_total', 'Requests refused by overload.', () => pressure.refused);
  metrics.total('log_lines_lost_total', 'Lines of the log that could not be written.', lostLogLines);
  if (config.tracesEndpoint !== undefined) traceRequests(fastify, app.get(Tracing));
  if (config.metricsPort !== undefined) measureRequests(fastify, metrics);
}

/** The application before it does anything: no route is open, no connection made. */
export async function assembleApp(config: Config, parts: Parts = {}): Promise<NestFastifyApplication> {
  const { clock = new SystemClock(), logger = createLogger(config) } = parts;
  const connection = parts.connection ?? (await connectionFor(config));
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, clock, connection),
    createAdapter(logger, config),
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );
  app.setGlobalPrefix('v1', { exclude: ['health/live', 'health/ready'] });
  return app;
}
