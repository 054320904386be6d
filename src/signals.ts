import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyBaseLogger } from 'fastify';
import { Config } from './common/config/config.js';
import { Shutdown } from './edge/shutdown.js';
import { framesOf } from './observability/describe-error.js';

/** The time limit after draining, in case a client, the database or a collector hangs. */
const CLOSE_MS = 7_500;
/** Ctrl-C sends the signal twice under npm: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 300;

/** The first signal starts a graceful shutdown, a second one exits immediately. */
export function shutDownOnSignals(app: NestFastifyApplication): void {
  let startedAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (startedAt === undefined) {
        startedAt = performance.now();
        void shutDown(app, signal);
      } else if (performance.now() - startedAt > SAME_SIGNAL_MS) process.exit(1);
    });
  }
}

/** The state of the process is unknown after an uncaught error, so it logs the error and exits. */
export function exitOnCrash(log: FastifyBaseLogger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ crash: describeCrash(error) }, 'Uncaught error; the service exits.');
    process.exit(1);
  });
}

async function shutDown(app: NestFastifyApplication, signal: NodeJS.Signals): Promise<void> {
  const { log } = app.getHttpAdapter().getInstance();
  const { drainMs } = app.get(Config);
  setTimeout(() => {
    log.warn('The shutdown timed out; the service exits.');
    process.exit(1);
  }, drainMs + CLOSE_MS);
  try {
    log.info({ signal, drainMs }, 'The service shuts down.');
    await app.get(Shutdown).drain(drainMs);
    await app.close();
    process.exit(0);
  } catch (error) {
    log.error({ crash: describeCrash(error) }, 'The shutdown failed; the service exits.');
    process.exit(1);
  }
}

/** Leaves out the message and the fields that drivers add: both may quote client data. */
function describeCrash(thrown: unknown): { name: string; code?: unknown; at: string[] } {
  const { name, code, stack } = (thrown ?? {}) as NodeJS.ErrnoException;
  return { name: typeof name === 'string' ? name : typeof thrown, code, at: framesOf(stack) };
}
