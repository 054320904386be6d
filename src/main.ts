import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Config } from './common/config/config.js';
import { ConfigError, loadConfig, readEnvironment } from './common/config/load-config.js';
import { DatabaseInUseError } from './database/embedded/directory-lock.js';

// Without a listener, a full disk or a reader that is gone would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  if (cluster.isWorker) await (await import('./workers/worker.js')).work();
  else await start(readConfig());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

async function start(config: Config | undefined): Promise<void> {
  if (config === undefined || config.workerCount === 1) return (await import('./serve.js')).serve();
  const { supervise } = await import('./workers/primary.js');
  return supervise(config, fileURLToPath(import.meta.url));
}

/** Without the settings of features, which only workers load. Mistakes are left to `serve`, which lists all of them. */
function readConfig(): Config | undefined {
  try {
    return loadConfig(readEnvironment());
  } catch {
    return undefined;
  }
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
