import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { buildDocument, documentJson } from './api/document/build-document.js';
import { attachOperations } from './api/routes.js';
import { AppModule } from './app.module.js';
import { Clock } from './common/clock.js';
import { API_PREFIX, type Config } from './common/config.js';
import { nestLogger } from './common/log.js';
import { createAdapter } from './http/adapter.js';
import { serveDocs } from './http/docs/docs.js';
import { HealthController } from './http/health.controller.js';
import { answerOtherMethods } from './http/methods.js';
import { refuseOverload } from './http/overload.js';
import { recordRequests } from './http/request-log.js';

/** Builds the application, ready to listen, for the service, the tests and the bench. Tests add features of their own. */
export async function createApp(
  config: Config,
  { logger, clock = new Clock(), features = [] }: { logger: Logger; clock?: Clock; features?: Type[] },
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, clock, features),
    createAdapter(logger, config),
    { logger: nestLogger(logger), bodyParser: false, abortOnError: false },
  );
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready'] });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const document = buildDocument(app);
  const json = documentJson(document);
  refuseOverload(fastify, config, app.get(Registry));
  recordRequests(fastify, app.get(Registry));
  answerOtherMethods(app, config.corsOrigins);
  app.get(HealthController).attachTo(fastify);
  attachOperations(fastify, app, json);
  serveDocs(app, document, json);
  return app.init(); // relies on Nest: routes are registered here, after our hooks
}
