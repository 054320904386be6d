import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.js';
import { announceAddress, offerDevelopmentKey } from './startup-message.js';
import { Database } from './database/database.js';
import { environment, ineffectiveVariables, loadConfig } from './common/config/load-config.js';
import { LIMITS } from './edge/limits.js';
import { createLogger } from './observability/logger.js';
import { shutDown } from './shut-down.js';
import { exitOnCrash, ignoreUserSignals, onStopSignal, STOP_SIGNALS } from './signals.js';

interface Options {
  /** The number of this process, if there are several; the first speaks for all. */
  worker?: number;
  /** Called before the service listens. */
  attach?: (app: NestFastifyApplication) => void;
}

/** Runs the service in this process. Resolves when it is ready. */
export async function serve({ worker, attach = shutDownOnSignals }: Options = {}): Promise<void> {
  const speaks = worker === undefined || worker === 1;
  const config = loadConfig(environment());
  const logger = createLogger(config);
  const app = await createApp(config, { logger: worker === undefined ? logger : logger.child({ worker }) });
  const { log } = app.getHttpAdapter().getInstance();
  exitOnCrash(log);
  ignoreUserSignals(log);
  if (speaks) for (const warning of [...ineffectiveVariables(), ...config.warnings()]) log.warn(warning);
  attach(app);
  // The first answers health checks while the database is away. The others leave connections to it until they are ready.
  if (!speaks) await app.get(Database).whenReady();
  await app.listen({ port: config.port, host: config.host, backlog: LIMITS.backlog });
  if (speaks) await announceAddress(app);
  await app.get(Database).whenReady();
  await offerDevelopmentKey(app);
}

function shutDownOnSignals(app: NestFastifyApplication): void {
  onStopSignal(STOP_SIGNALS, (signal) => void shutDown(app, signal));
}
