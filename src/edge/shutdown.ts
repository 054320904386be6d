import { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Graceful shutdown. While the service drains, it reports not ready, so that load balancers send new requests elsewhere,
 * and closes each connection with its next response. It then closes: requests in flight finish, and connections of
 * clients that stall are closed after a timeout, because Node.js stops timing clients once a server is closing.
 */
@Injectable()
export class Shutdown {
  private begun = false;
  private succeeded = false;

  /** Whether load balancers are to send requests elsewhere. */
  get isNoticed(): boolean {
    return this.begun && !this.succeeded;
  }

  /** Resolves when load balancers have had time to notice. */
  async drain(milliseconds: number): Promise<void> {
    this.begun = true;
    if (milliseconds > 0) await delay(milliseconds);
  }

  /** Leaves new connections to another process of this service, so that load balancers have nothing to notice. */
  async handOver(server: Server, milliseconds: number): Promise<void> {
    this.succeeded = true;
    // The close() of http would also end idle connections, on which requests may be under way.
    Server.prototype.close.call(server);
    await this.drain(milliseconds);
  }

  attachTo(instance: FastifyInstance): void {
    let timer: NodeJS.Timeout | undefined;
    instance.addHook('onSend', (_request, reply, payload, done) => {
      if (this.begun) reply.header('connection', 'close');
      done(null, payload);
    });
    instance.addHook('preClose', (done) => {
      this.begun = true;
      timer = setTimeout(() => instance.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      // Requests that have arrived must be read first: closing destroys connections whose request is still unread.
      setImmediate(done);
    });
    instance.addHook('onClose', (_instance, done) => {
      clearTimeout(timer);
      done();
    });
  }
}
