import type { FastifyInstance } from 'fastify';
import { allErrors } from '../api/errors.js';
import type { Metrics } from '../common/metrics.js';

/** From 1 ms, a response from memory, to 5 s, when clients have given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LABELS = ['method', 'route', 'status'];

/** Measures every request but probes, and those refused because of overload, which have a metric of their own. */
export function measureRequests(fastify: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter('http_requests_total', 'Completed requests.', LABELS);
  const help = 'The time from the head of a request to the end of its response.';
  const durations = metrics.histogram('http_request_duration_seconds', help, LABELS, SECONDS);
  const errors = metrics.counter('http_errors_total', 'Responses with an Error body, by its code.', ['code']);
  // Prometheus cannot see the increase of a series that begins with its first event.
  for (const { code } of allErrors()) errors.inc({ code }, 0);

  fastify.addHook('onResponse', (request, { statusCode: status, errorCode: code, elapsedTime }, done) => {
    const { url } = request.routeOptions;
    if (url?.startsWith('/health/') || request.isRefused) return done();
    // Clients can invent any number of paths and methods: those that are unknown share one label.
    const isKnown = url !== undefined && code !== 'method_not_allowed';
    const labels = { method: isKnown ? request.method : 'unknown', route: isKnown ? url : 'unknown', status };
    requests.inc(labels);
    durations.observe(labels, elapsedTime / 1000);
    if (code) errors.inc({ code });
    return done();
  });
}
