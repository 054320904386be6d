import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import { allErrors } from '../api/errors.js';
import { addressOf } from './rate-limiter.js';

/** The buckets of the histogram, from 1 ms, for an answer from memory, to 5 s, when clients have given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LABELS = ['method', 'route', 'status'];

/** Logs every request, and measures all but probes. */
export function recordRequests(fastify: FastifyInstance, registry: Registry): void {
  const about = (name: string, help: string) => ({ name, help, registers: [registry] });
  const help = 'The time from the head of a request to the end of its response.';
  const timed = { ...about('http_request_duration_seconds', help), labelNames: LABELS, buckets: SECONDS };
  const durations = new Histogram(timed);
  const failed = about('http_errors_total', 'Responses with an Error body, by its code.');
  const errors = new Counter({ ...failed, labelNames: ['code'] });
  // Prometheus sees no increase in a series that begins with 1, so every series begins with 0.
  for (const { code } of allErrors()) errors.inc({ code }, 0);

  fastify.addHook('onResponse', (request, reply, done) => {
    const { id, log, method, caller } = request;
    const { url: route } = request.routeOptions;
    const { statusCode: status, error, elapsedTime } = reply;
    const code = error?.code;
    const isProbe = route?.startsWith('/health/');
    const ms = Math.round(elapsedTime * 10) / 10;
    const address = status === 401 ? addressOf(request) : undefined; // shows who guesses keys
    const line = { requestId: id, method, route, status, code, ms, key: caller?.name, address };
    log[isProbe ? 'debug' : 'info'](line, 'request');
    if (!isProbe) {
      // Clients can invent any number of paths and methods, so all unknown ones share a label, and thus one series.
      const isKnown = route !== undefined && code !== 'method_not_allowed';
      const labels = isKnown ? { method, route, status } : { method: 'unknown', route: 'unknown', status };
      durations.observe(labels, elapsedTime / 1000);
      if (code) errors.inc({ code });
    }
    done();
  });
}
