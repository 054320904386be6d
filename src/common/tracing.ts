import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Config } from './config.js';

/** How long a shutdown waits for the collector to take the last traces. */
const FLUSH_MS = 1_000;

/** Traces requests and their statements. Call it before HTTP, PostgreSQL and Fastify modules are imported. */
export function startTracing({ serviceName }: Config): void {
  const service = resourceFromAttributes({ 'service.name': serviceName });
  const provider = new NodeTracerProvider({
    resource: detectResources({ detectors: [envDetector] }).merge(service),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())], // the OTEL_ variables configure both
  });
  provider.register();
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        // Clients may send secrets in a query, or in a path that does not exist.
        startIncomingSpanHook: () => ({ 'url.path': undefined, 'url.query': undefined }),
        ignoreIncomingRequestHook: ({ url }) => url?.startsWith('/health/') ?? false,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  let ended: Promise<void> | undefined;
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRequest', nameSpan);
    fastify.addHook('onClose', () => (ended ??= Promise.race([provider.shutdown().catch(() => {}), delay(FLUSH_MS)])));
  });
}

/** Names a span after its route, which only Fastify knows. Other paths stay out, because clients may put secrets there. */
const nameSpan: onRequestHookHandler = ({ method, routeOptions: { url } }, _reply, done) => {
  if (url) trace.getActiveSpan()?.setAttributes({ 'http.route': url, 'url.path': url }).updateName(`${method} ${url}`);
  done();
};
