import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import type { Metrics } from './metrics.js';
import { Shelf } from '../common/shelf.js';
import { TalliedHistogram, Tally } from './tallied-histogram.js';

/** From 1 ms to 5 s: from an answer out of memory to one that no client waits for. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LABELS = ['method', 'route', 'status'];
const UNKNOWN = 'unknown';

/** Counts and times every request that reaches the router. */
export function measureRequests(instance: FastifyInstance, metrics: Metrics): void {
  const tallies = new Tallies();
  metrics.registry.registerMetric(
    new Counter({
      name: 'http_requests_total',
      help: 'Requests that were answered.',
      labelNames: LABELS,
      registers: [],
      collect() {
        this.reset();
        for (const { labels, count } of tallies.all) this.inc(labels, count);
      },
    }),
  );
  metrics.registry.registerMetric(
    new TalliedHistogram(tallies.all, {
      name: 'http_request_duration_seconds',
      help: 'The time from the head of a request to the end of its answer.',
      labelNames: LABELS,
      buckets: SECONDS,
      registers: [],
    }),
  );
  const errors = metrics.counter('http_errors_total', 'Answers with an Error body, by its code.', ['code']);

  instance.addHook('onResponse', (request, reply, done) => {
    tallies.of(request, reply).add(reply.elapsedTime / 1000);
    if (reply.errorCode) errors.inc({ code: reply.errorCode });
    done();
  });
}

/**
 * The tally of each method, route and status: found with a few look-ups and then counted up, where the library would
 * check and hash the labels anew for each request.
 */
class Tallies {
  readonly all: Tally[] = [];
  private readonly found = new Shelf<Tally>();

  of({ method, routeOptions }: FastifyRequest, { statusCode, errorCode }: FastifyReply): Tally {
    // What no operation answers is one label value: clients can invent as many paths and methods as they like.
    const { url } = routeOptions;
    const known = url !== undefined && errorCode !== 'method_not_allowed';
    const labels = known ? { method, route: url } : { method: UNKNOWN, route: UNKNOWN };
    const place = this.found.at(labels.method).at(labels.route).at(statusCode);
    return (place.item ??= this.add({ ...labels, status: String(statusCode) }));
  }

  private add(labels: Record<string, string>): Tally {
    const tally = new Tally(labels, SECONDS);
    this.all.push(tally);
    return tally;
  }
}
