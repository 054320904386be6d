import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { unavailable } from '../api/errors.js';
import type { Config } from '../common/config.js';

/** The mean delay of the event loop in a second from which on more requests would only make all of them slower. */
const LATE_NS = 500e6;
const LOOK_EVERY_MS = 1_000;

/** One for all: a refusal must not cost more than the work. */
const OVERLOADED = unavailable('The service has more to do than it can. Try again in a second.');

/** Refuses requests other than probes that are too many at once or come while the event loop lags. */
export function refuseOverload(fastify: FastifyInstance, config: Config, registry: Registry): void {
  let inFlight = 0; // a set of the requests would be simpler, but costs several percent of the throughput
  const collect = (): void => gauge.set(inFlight);
  const help = 'Requests in flight.';
  const gauge = new Gauge({ name: 'http_requests_in_flight', help, registers: [registry], collect });
  const delays = monitorEventLoopDelay();
  let isLate = false;
  let look: NodeJS.Timeout | undefined;
  fastify.addHook('onListen', (done) => {
    delays.enable(); // not before: starting takes the loop for itself
    look = setInterval(() => {
      isLate = !(delays.mean < LATE_NS); // there is no mean if the loop stood still all the time
      delays.reset();
    }, LOOK_EVERY_MS);
    done();
  });
  fastify.addHook('onClose', (_fastify, done) => {
    delays.disable();
    clearInterval(look);
    done();
  });
  fastify.decorateRequest('isInFlight', false);
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.routeOptions.url?.startsWith('/health/')) return done();
    if (isLate || inFlight >= config.maxConcurrentRequests) return done(OVERLOADED);
    request.isInFlight = true;
    inFlight++;
    return done();
  });
  // Not onResponse: a pipelined answer whose client has left never ends.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.isInFlight) inFlight--;
    request.isInFlight = false;
    done(null, payload);
  });
}
