import { createApp } from './app.js';
import { announceAddress, offerKey } from './announce.js';
import { Database } from './database/database.js';
import { ConfigError, environment, loadConfig } from './common/config/load-config.js';
import { LIMITS } from './common/http/limits.js';
import { DatabaseInUseError } from './database/embedded/embedded-database.js';
import { endOnCrash, endOnSignals } from './process-end.js';

// Without a listener, a full disk or a reader that is gone would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const config = loadConfig(environment());
  const app = await createApp(config);
  endOnCrash(app.getHttpAdapter().getInstance().log);
  endOnSignals(app);
  await app.listen({ port: config.port, host: config.host, backlog: LIMITS.backlog });
  await announceAddress(app);
  await app.get(Database).whenReady();
  await offerKey(app);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

/** A mistake of whoever starts the service is told in words; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseInUseError) return error.message;
  if (isAddressProblem(error))
    return `Cannot listen: ${error.message}. Set PORT and HOST to an address that is free.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isAddressProblem(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL' || code === 'EACCES';
}
