import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Controller, Get, Logger } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { Public } from '../api/decorators.js';
import { unavailable } from '../api/errors.js';
import { Config } from '../common/config.js';
import { Database } from '../database/database.js';

/** After draining, how long requests in flight may take, and how long the whole shutdown may take, with the database. */
const REQUESTS_MS = 5_000;
const CLOSE_MS = 7_500;

/** For load balancers and supervisors, and therefore not part of the OpenAPI document. */
@ApiExcludeController()
@Controller('health')
export class HealthController implements BeforeApplicationShutdown {
  private isEnding = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** Restart the process when this fails. */
  @Get('live')
  @Public()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Send no requests while this fails. */
  @Get('ready')
  @Public()
  async ready(): Promise<{ status: string }> {
    if (this.isEnding) throw unavailable('The service is about to end.');
    await this.database.check().catch(() => {
      throw unavailable('The database cannot be used.');
    });
    return { status: 'ok' };
  }

  /** Lets requests finish while the service ends. */
  attachTo(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.isEnding) void reply.header('connection', 'close');
      done(null, payload);
    });
    fastify.addHook('preClose', (done) => {
      // Node.js applies no time limits while a server closes, so a slow client could prevent the end of the service.
      setTimeout(() => fastify.server.closeAllConnections(), REQUESTS_MS).unref();
      setImmediate(done); // requests that have arrived are read first: closing would reset their connections
    });
  }

  /** On a signal, the service goes on answering for a while, but reports not ready, and closes connections after a response. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (!signal) return; // a test closes the application
    this.isEnding = true;
    const logger = new Logger('Health');
    logger.log('The service shuts down.');
    setTimeout(() => {
      logger.warn('The shutdown timed out; the service exits.');
      process.exit(1);
    }, this.config.drainMs + CLOSE_MS);
    await delay(this.config.drainMs); // until load balancers send requests elsewhere
  }
}
