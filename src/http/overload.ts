import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { unavailable } from '../api/errors.js';
import type { Config } from '../common/config.js';

/** If the event loop was late by this much on average in the last second, more requests would make all of them slower. */
const LATE_NS = 500e6;
const LOOK_EVERY_MS = 1_000;

/** All refusals share one error object: creating one for each, with its stack, would cost what a refusal has to save. */
const OVERLOADED = unavailable('The service is overloaded. Try again in a second.');

/** Refuses requests, except probes, while too many others are in flight, or while the event loop lags. */
export function refuseOverload(fastify: FastifyInstance, config: Config, registry: Registry): void {
  let inFlight = 0; // a set of the requests would be simpler, but costs several percent of the throughput
  const collect = (): void => gauge.set(inFlight);
  const help = 'Requests in flight.';
  const gauge = new Gauge({ name: 'http_requests_in_flight', help, registers: [registry], collect });
  const delays = monitorEventLoopDelay();
  let isLate = false;
  fastify.addHook('onListen', (done) => {
    delays.enable(); // not earlier, since starting blocks the event loop
    setInterval(() => {
      isLate = !(delays.mean < LATE_NS); // the mean is NaN if the loop was blocked all the time
      delays.reset();
    }, LOOK_EVERY_MS).unref();
    done();
  });
  fastify.decorateRequest('isInFlight', false);
  // Not `onRequest`, where refusals would not have the headers of deprecated operations yet.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.routeOptions.url?.startsWith('/health/')) return done();
    if (isLate || inFlight >= config.maxConcurrentRequests) return done(OVERLOADED);
    request.isInFlight = true;
    inFlight++;
    return done();
  });
  // `onResponse` is not called for a pipelined answer whose client has left, so the request would be counted for ever.
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.isInFlight) inFlight--;
    request.isInFlight = false;
    done(null, payload);
  });
}
