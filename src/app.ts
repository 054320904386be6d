import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { type Clock, SystemClock } from './common/clock.js';
import type { Config } from './common/config/config.js';
import { createAdapter } from './common/http/adapter.js';
import { allowOrigins } from './common/http/cors.js';
import { collectMethods } from './common/http/methods.js';
import { boundShutdown } from './common/http/shutdown.js';
import { createLogger, NestLogger } from './common/logging/logger.js';
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
  if (config.corsOrigins.length > 0) allowOrigins(fastify, config.corsOrigins);
  boundShutdown(fastify);
  const methods = collectMethods(fastify);
  serialiseByDocument(fastify, JSON.parse(documentJson(document)) as OpenAPIObject, '/v1');
  serveDocs(app, document);
  await app.init();
  methods.answerOthers();
  return app;
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
