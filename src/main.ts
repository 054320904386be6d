import { createApp } from './app.js';
import { announceAddress, offerDevelopmentKey } from './startup-message.js';
import { loadYaml } from './api/document/document-text.js';
import { Database } from './database/database.js';
import { ConfigError, environment, ineffectiveVariables, loadConfig } from './common/config/load-config.js';
import { LIMITS } from './edge/limits.js';
import { DatabaseInUseError } from './database/embedded/embedded-database.js';
import { exitOnCrash, shutDownOnSignals } from './signals.js';

// Without a listener, a full disk or a reader that is gone would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const config = loadConfig(environment());
  const app = await createApp(config);
  const { log } = app.getHttpAdapter().getInstance();
  exitOnCrash(log);
  for (const warning of ineffectiveVariables()) log.warn(warning);
  shutDownOnSignals(app);
  await app.listen({ port: config.port, host: config.host, backlog: LIMITS.backlog });
  await announceAddress(app);
  await app.get(Database).whenReady();
  await offerDevelopmentKey(app);
  await loadYaml().catch((error: unknown) => log.warn({ err: error }, 'cannot load the package yaml'));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

/** A mistake of the operator needs only a message, anything else its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseInUseError) return error.message;
  if (isAddressError(error)) return `Cannot listen: ${error.message}. Set PORT and HOST to a free address.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isAddressError(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL' || code === 'EACCES';
}
