import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './common/config.js';
import { createLogger } from './common/log.js';

/** Ctrl-C sends the signal twice under npm: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 300;

// Without a listener, a full disk or a reader that is gone would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await start();
} catch (error) {
  process.stderr.write(`${explain(error as NodeJS.ErrnoException)}\n`);
  process.exit(1);
}

/** Resolves when the service is ready. What traces observe has to be imported after them. */
async function start(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  const flushTraces = config.tracesEndpoint
    ? (await import('./common/tracing.js')).startTracing(config)
    : async () => {};
  const { createApp } = await import('./create-app.js');
  const { announceAddress, offerDevelopmentKey } = await import('./startup-message.js');
  const { Database } = await import('./database/database.js');

  const app = await createApp(config, { logger });
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'Uncaught error; the service exits.'); // its state is unknown
    process.exit(1);
  });
  for (const warning of config.warnings()) logger.warn(warning);
  await endOnSignals(app, flushTraces);
  await app.listen({ port: config.port, host: config.host, backlog: 4_096 }); // the system has a lower limit, too
  await announceAddress(app);
  await app.get(Database).whenReady();
  await offerDevelopmentKey(app);
}

/** The first signal lets the service finish what it does, a second one ends it at once. */
async function endOnSignals(app: NestFastifyApplication, flushTraces: () => Promise<void>): Promise<void> {
  const { shutDown } = await import('./http/shutdown.js');
  const { log } = app.getHttpAdapter().getInstance();
  let begun: number | undefined;
  const end = async (): Promise<void> => {
    if (begun !== undefined) return performance.now() - begun > SAME_SIGNAL_MS ? process.exit(1) : undefined;
    begun = performance.now();
    try {
      await shutDown(app);
      await flushTraces();
      process.exit(0);
    } catch (err) {
      log.error({ err }, 'The shutdown failed; the service exits.');
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end());
  // By default, Node.js opens a debugger to every local account on SIGUSR1, and ends on SIGUSR2.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const)
    process.on(signal, () => log.warn({ signal }, 'The signal is ignored.'));
}

/** A mistake in the code needs its stack, anything else only its message. */
function explain({ name, message, stack, syscall }: NodeJS.ErrnoException): string {
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `Cannot listen: ${message}. Set PORT and HOST to a free address.`;
  return /^(?:Type|Reference|Range|Syntax)Error$/.test(name) ? (stack ?? message) : message;
}
