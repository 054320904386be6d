import type { FastifyInstance } from 'fastify';

const PATIENCE_MS = 5_000;

/**
 * Bounds the end of the service: requests under way are finished, and who does not take the answer, or has not even
 * sent the whole request, is cut off after a few seconds. Node no longer times clients once a server is closing.
 */
export function boundShutdown(instance: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  instance.addHook('preClose', (done) => {
    timer = setTimeout(() => instance.server.closeAllConnections(), PATIENCE_MS);
    done();
  });
  instance.addHook('onClose', (_instance, done) => {
    clearTimeout(timer);
    done();
  });
}
