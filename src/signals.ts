import type { FastifyBaseLogger } from 'fastify';
import { framesOf } from './observability/describe-error.js';

/** The time limit after draining, in case a client, the database or a collector hangs. */
export const CLOSE_MS = 7_500;
export const STOP_SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** Ctrl-C sends the signal twice under npm: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 300;

/** The first signal starts a graceful shutdown, a second one exits immediately. */
export function onStopSignal(signals: NodeJS.Signals[], stop: (signal: NodeJS.Signals) => void): void {
  let startedAt: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (startedAt === undefined) {
        startedAt = performance.now();
        stop(signal);
      } else if (performance.now() - startedAt > SAME_SIGNAL_MS) process.exit(1);
    });
  }
}

/** By itself, Node.js opens a debugger to every local account on SIGUSR1, and ends without draining on SIGUSR2. */
export function ignoreUserSignals(log: Pick<FastifyBaseLogger, 'warn'>): void {
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const)
    process.on(signal, () => log.warn({ signal }, 'The signal is ignored.'));
}

/** The state of the process is unknown after an uncaught error, so it logs the error and exits. */
export function exitOnCrash(log: Pick<FastifyBaseLogger, 'fatal'>): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ crash: describeCrash(error) }, 'Uncaught error; the service exits.');
    process.exit(1);
  });
}

/** Leaves out the message and the fields that drivers add: both may quote client data. */
export function describeCrash(thrown: unknown): { name: string; code?: unknown; at: string[] } {
  const { name, code, stack } = (thrown ?? {}) as NodeJS.ErrnoException;
  return { name: typeof name === 'string' ? name : typeof thrown, code, at: framesOf(stack) };
}
