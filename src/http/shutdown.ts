import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Config } from '../common/config.js';

/** After draining: for requests in flight, and for all of the rest, the database included. */
const REQUESTS_MS = 5_000;
const CLOSE_MS = 7_500;

/** Once a signal has begun it, the service reports not ready, and closes each connection with its next response. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  hasBegun = false;
  private readonly logger = new Logger('Shutdown');

  constructor(private readonly config: Config) {}

  attachTo(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.hasBegun) void reply.header('connection', 'close');
      done(null, payload);
    });
    fastify.addHook('preClose', (done) => {
      // Node.js has no time limits for the clients of a server that closes.
      setTimeout(() => fastify.server.closeAllConnections(), REQUESTS_MS).unref();
      setImmediate(done); // requests that have arrived are read first: closing would reset their connections
    });
  }

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (!signal) return; // of a test
    const { drainMs } = this.config;
    this.hasBegun = true;
    this.logger.log('The service shuts down.');
    setTimeout(() => {
      this.logger.warn('The shutdown timed out; the service exits.');
      process.exit(1);
    }, drainMs + CLOSE_MS);
    await delay(drainMs); // load balancers send requests elsewhere
  }
}
