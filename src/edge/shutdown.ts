import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const PATIENCE_MS = 5_000;

/**
 * The end of the service that nobody notices. First it drains: it says that it is not ready, so that balancers send
 * new requests elsewhere, and goes on answering meanwhile, each answer being the last one of its connection. Then it
 * closes: requests under way are finished, and who does not take the answer, or has not even sent the whole request,
 * is cut off after a few seconds. Node no longer times clients once a server is closing.
 */
@Injectable()
export class Shutdown {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  /** Resolves when balancers have had the time to notice. */
  async drain(milliseconds: number): Promise<void> {
    this.begun = true;
    if (milliseconds > 0) await delay(milliseconds);
  }

  attachTo(instance: FastifyInstance): void {
    let timer: NodeJS.Timeout | undefined;
    instance.addHook('onSend', (_request, reply, payload, done) => {
      if (this.begun) reply.header('connection', 'close');
      done(null, payload);
    });
    instance.addHook('preClose', (done) => {
      this.begun = true;
      timer = setTimeout(() => instance.server.closeAllConnections(), PATIENCE_MS);
      // What has arrived by now is read first: closing cuts idle connections, and a request that was not read yet
      // does not count.
      setImmediate(done);
    });
    instance.addHook('onClose', (_instance, done) => {
      clearTimeout(timer);
      done();
    });
  }
}
