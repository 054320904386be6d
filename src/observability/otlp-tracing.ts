import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { type ClientRequest, METHODS } from 'node:http';
import type { OnApplicationShutdown } from '@nestjs/common';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FastifyRequest } from 'fastify';
import { SERVICE_NAME } from '../common/contract.js';
import { withTimeout } from '../common/with-timeout.js';
import { type Attributes, Tracing } from './tracing.js';

/** Limits the last export at shutdown: retries would delay it by seconds while the collector is down. */
const FLUSH_TIMEOUT_MS = 1_000;

const ignore = (): void => {};

/**
 * A collector may refuse spans before it has read them, and close the connection. The error of the rest comes after the
 * response, when Node.js no longer listens: it would end the process.
 */
subscribe('http.client.request.start', (message) => {
  const { socket } = (message as { request: ClientRequest }).request;
  if (socket && !socket.listeners('error').includes(ignore)) socket.on('error', ignore);
});

/**
 * Exports spans to a collector. It registers nothing globally, since a process may run several applications. The standard
 * OTEL_ variables configure the exporter, sampling, batches and attributes.
 */
export class OtlpTracing extends Tracing implements OnApplicationShutdown {
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly current = new AsyncLocalStorage<Context>();
  private readonly spans = new WeakMap<FastifyRequest, Span>();
  private readonly provider: BasicTracerProvider;

  constructor(endpoint: string, serviceName: string) {
    super();
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
    this.provider = new BasicTracerProvider({
      resource: detectResources({ detectors: [envDetector] }).merge(
        resourceFromAttributes({ 'service.name': serviceName }),
      ),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
  }

  private get tracer() {
    return this.provider.getTracer(SERVICE_NAME);
  }

  override async span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const parent = this.current.getStore() ?? ROOT_CONTEXT;
    const span = this.tracer.startSpan(name, { attributes }, parent);
    try {
      return await this.current.run(trace.setSpan(parent, span), work);
    } catch (error) {
      // The type of the error only: its message may quote client data.
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', (error as Error | undefined)?.name ?? 'unknown');
      throw error;
    } finally {
      span.end();
    }
  }

  override follow(request: FastifyRequest, next: () => void): void {
    const parent = this.propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const route = request.routeOptions.url;
    const method = METHODS.includes(request.method) ? request.method : '_OTHER';
    const [path = ''] = request.url.split('?', 1);
    const attributes = {
      'http.request.method': method,
      'url.scheme': request.protocol,
      'url.path': path,
      ...(route !== undefined && { 'http.route': route }),
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    this.spans.set(request, span);
    request.log = request.log.child({ traceId: span.spanContext().traceId });
    this.current.run(trace.setSpan(parent, span), next);
  }

  override end(request: FastifyRequest, status: number): void {
    const span = this.spans.get(request);
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }

  /** Exports the remaining spans. */
  async onApplicationShutdown(): Promise<void> {
    const sent = this.provider.shutdown().catch(() => {});
    await withTimeout(sent, FLUSH_TIMEOUT_MS, () => {});
  }
}
