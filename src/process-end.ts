import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyBaseLogger } from 'fastify';
import { Config } from './common/config/config.js';
import { Shutdown } from './common/http/shutdown.js';
import { framesOf } from './common/logging/describe-error.js';

/** Whatever hangs, a client, the database or a collector: the process is gone this long after it has drained. */
const CLOSE_MS = 7_500;
/** A signal of the terminal comes twice, from the terminal itself and passed on by npm. */
const SAME_SIGNAL_MS = 300;

/** The first signal asks the service to end in good order. A second one ends it at once. */
export function endOnSignals(app: NestFastifyApplication): void {
  let askedAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        void end(app, signal);
      } else if (performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(1);
    });
  }
}

/** What nobody caught leaves the process in a state that nobody knows: it is told, and the process ends. */
export function endOnCrash(log: FastifyBaseLogger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ crash: describeCrash(error) }, 'The service ends: nobody caught this error.');
    process.exit(1);
  });
}

async function end(app: NestFastifyApplication, signal: NodeJS.Signals): Promise<void> {
  const { log } = app.getHttpAdapter().getInstance();
  const { drainMs } = app.get(Config);
  setTimeout(() => {
    log.warn('The service ends although not everything was closed in time.');
    process.exit(1);
  }, drainMs + CLOSE_MS);
  try {
    log.info({ signal, drainMs }, 'The service ends.');
    await app.get(Shutdown).drain(drainMs);
    await app.close();
    process.exit(0);
  } catch (error) {
    log.error({ crash: describeCrash(error) }, 'The service could not be closed in good order.');
    process.exit(1);
  }
}

/** Where it happened. Not the message, nor what drivers add to it: both may quote what a client sent. */
function describeCrash(thrown: unknown): { name: string; code?: unknown; at: string[] } {
  const { name, code, stack } = (thrown ?? {}) as NodeJS.ErrnoException;
  return { name: typeof name === 'string' ? name : typeof thrown, code, at: framesOf(stack) };
}
