import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Config } from '../common/config.js';

/** After draining: for requests in flight, and for all of the rest, the database included. */
const REQUESTS_MS = 5_000;
const CLOSE_MS = 7_500;

/** Once it has begun, the service reports not ready, and closes each connection with its next response. */
@Injectable()
export class Shutdown {
  hasBegun = false;

  attachTo(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.hasBegun) void reply.header('connection', 'close');
      done(null, payload);
    });
    fastify.addHook('preClose', (done) => {
      this.hasBegun = true;
      // Node.js has no time limits for the clients of a server that closes.
      setTimeout(() => fastify.server.closeAllConnections(), REQUESTS_MS).unref();
      setImmediate(done); // requests that have arrived are read first: closing would reset their connections
    });
  }
}

/** Gives load balancers time to send requests elsewhere, finishes what is in flight, and closes the application. */
export async function shutDown(app: NestFastifyApplication): Promise<void> {
  const { log } = app.getHttpAdapter().getInstance();
  const { drainMs } = app.get(Config);
  log.info({ drainMs }, 'The service shuts down.');
  const timer = setTimeout(() => {
    log.warn('The shutdown timed out; the service exits.');
    process.exit(1);
  }, drainMs + CLOSE_MS);
  app.get(Shutdown).hasBegun = true;
  await delay(drainMs);
  await app.close();
  clearTimeout(timer);
}
