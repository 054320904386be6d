import type { FastifyInstance } from 'fastify';
import type { Config } from '../common/config/config.js';
import { Tracing } from './tracing.js';

/** Traces go to the collector that is configured. The libraries for it are loaded only then. */
export async function startTracing({ tracesEndpoint, serviceName }: Config): Promise<Tracing> {
  if (tracesEndpoint === undefined) return new Tracing();
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(tracesEndpoint, serviceName);
}

/** One span for each request, around all that is done for it. */
export function traceRequests(instance: FastifyInstance, tracing: Tracing): void {
  instance.addHook('onRequest', (request, _reply, done) => tracing.follow(request, done));
  instance.addHook('onResponse', (request, { statusCode }, done) => {
    tracing.end(request, statusCode);
    done();
  });
}
