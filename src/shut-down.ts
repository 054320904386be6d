import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Config } from './common/config/config.js';
import { Shutdown } from './edge/shutdown.js';
import { CLOSE_MS, describeCrash } from './signals.js';

/** Drains and exits. With a `successor`, another process serves new connections already. */
export async function shutDown(
  app: NestFastifyApplication,
  signal: NodeJS.Signals,
  { successor = false } = {},
): Promise<void> {
  const { log, server } = app.getHttpAdapter().getInstance();
  const { drainMs } = app.get(Config);
  const shutdown = app.get(Shutdown);
  setTimeout(() => {
    log.warn('The shutdown timed out; the service exits.');
    process.exit(1);
  }, drainMs + CLOSE_MS);
  try {
    log.info({ signal, drainMs }, successor ? 'This worker is replaced.' : 'The service shuts down.');
    await (successor ? shutdown.handOver(server, drainMs) : shutdown.drain(drainMs));
    await app.close();
    process.exit(0);
  } catch (error) {
    log.error({ crash: describeCrash(error) }, 'The shutdown failed; the service exits.');
    process.exit(1);
  }
}
