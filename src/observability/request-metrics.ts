import type { FastifyInstance, FastifyReply } from 'fastify';
import { Counter, Histogram } from 'prom-client';
import { durationOf } from '../common/exchange.js';
import type { Metrics } from './metrics.js';

const DURATION = 'http_request_duration_seconds';
const LABELS = ['method', 'route', 'status'] as const;
/** From 1 ms, a response from memory, to 5 s, when clients have given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const UNKNOWN = 'unknown';

/** Measures every request that reaches the router and has room, except probes. `codes` are those of all errors. */
export function measureRequests(instance: FastifyInstance, metrics: Metrics, codes: readonly string[]): void {
  const durations = new Histogram({
    name: DURATION,
    help: 'The time from the head of a request to the end of its response.',
    labelNames: LABELS,
    buckets: SECONDS,
    registers: [],
  });
  metrics.registry.registerMetric(requestsCountedBy(durations));
  metrics.registry.registerMetric(durations);
  const errors = metrics.counter('http_errors_total', 'Responses with an Error body, by its code.', ['code']);
  // Prometheus cannot see the increase of a series that begins with its first event.
  for (const code of codes) errors.inc({ code }, 0);

  instance.addHook('onResponse', (request, reply, done) => {
    const { url, config } = request.routeOptions;
    // Refusals for want of room are counted with those of overload.
    if (!config?.probe && !reply.noRoom) {
      durations.observe(labelsOf(request.method, url, reply), durationOf(request, reply) / 1000);
      if (reply.errorCode) errors.inc({ code: reply.errorCode });
    }
    done();
  });
}

/** Derives the counter from the histogram, which counts each request already. */
function requestsCountedBy(durations: Histogram): Counter {
  return new Counter({
    name: 'http_requests_total',
    help: 'Completed requests.',
    labelNames: LABELS,
    registers: [],
    async collect() {
      const { values } = await durations.get();
      this.reset();
      for (const { metricName, labels, value } of values) {
        if (metricName === `${DURATION}_count`) this.inc(labels, value);
      }
    },
  });
}

/** Unknown paths and methods share one label value, since clients can invent any number of them. */
function labelsOf(method: string, url: string | undefined, { statusCode, errorCode }: FastifyReply) {
  const known = url !== undefined && errorCode !== 'method_not_allowed';
  return known
    ? { method, route: url, status: statusCode }
    : { method: UNKNOWN, route: UNKNOWN, status: statusCode };
}
