import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Config } from '../common/config.js';

/** After draining: for requests in flight, and for all of the rest, the database included. */
const REQUESTS_MS = 5_000;
const CLOSE_MS = 7_500;
/** Ctrl-C sends the signal twice under npm: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 300;

/** Once a signal has begun it, the service reports not ready, and closes each connection with its next response. */
@Injectable()
export class Shutdown {
  begunAt: number | undefined;

  attachTo(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.begunAt) void reply.header('connection', 'close');
      done(null, payload);
    });
    fastify.addHook('preClose', (done) => {
      // Node.js has no time limits for the clients of a server that closes.
      setTimeout(() => fastify.server.closeAllConnections(), REQUESTS_MS).unref();
      setImmediate(done); // requests that have arrived are read first: closing would reset their connections
    });
  }
}

/** The first signal lets the service finish what it does, a second one ends it at once. */
export function endOnSignals(app: NestFastifyApplication, flushTraces: () => Promise<void>): void {
  const { log } = app.getHttpAdapter().getInstance();
  const { drainMs } = app.get(Config);
  const shutdown = app.get(Shutdown);
  const end = async (): Promise<void> => {
    const now = performance.now();
    if (shutdown.begunAt) return now - shutdown.begunAt > SAME_SIGNAL_MS ? process.exit(1) : undefined;
    shutdown.begunAt = now;
    log.info({ drainMs }, 'The service shuts down.');
    setTimeout(() => {
      log.warn('The shutdown timed out; the service exits.');
      process.exit(1);
    }, drainMs + CLOSE_MS);
    await delay(drainMs); // load balancers send requests elsewhere
    await app.close();
    await flushTraces();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end());
  // By default, Node.js opens a debugger to every local account on SIGUSR1, and ends on SIGUSR2.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const)
    process.on(signal, () => log.warn({ signal }, 'The signal is ignored.'));
}
