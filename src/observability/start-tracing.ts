import type { FastifyInstance } from 'fastify';
import type { Config } from '../common/config/config.js';
import { Tracing } from './tracing.js';

/** Exports traces to the configured collector. Without one, the OpenTelemetry libraries are not loaded. */
export async function startTracing({ tracesEndpoint, serviceName }: Config): Promise<Tracing> {
  if (tracesEndpoint === undefined) return new Tracing();
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(tracesEndpoint, serviceName);
}

/** Opens a span for each request. */
export function traceRequests(instance: FastifyInstance, tracing: Tracing): void {
  instance.addHook('onRequest', (request, _reply, done) => tracing.follow(request, done));
  instance.addHook('onResponse', (request, { statusCode }, done) => {
    tracing.end(request, statusCode);
    done();
  });
}
