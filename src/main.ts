import { setFlagsFromString } from 'node:v8';
import type { KeysService } from './auth/keys.service.js';
import { dayOf } from './common/clock.js';
import { API_PREFIX, loadConfig, unknownSettings } from './common/config.js';
import { createLogger } from './common/log.js';

// Otherwise V8 decides to allocate result rows in the old generation, and memory grows until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

// Without a listener for errors, a full disk or a closed pipe would end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await start();
} catch (error) {
  process.stderr.write(`${explain(error as NodeJS.ErrnoException)}\n`);
  process.exit(1);
}

/** Tracing patches libraries as they are loaded, so it has to start before they are imported. */
async function start(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  if (config.tracesEndpoint) (await import('./common/tracing.js')).startTracing(config);
  const { createApp } = await import('./create-app.js');
  const { KeysService } = await import('./auth/keys.service.js');
  const { Database } = await import('./database/database.js');

  const app = await createApp(config, { logger });
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'Uncaught error; the service exits.'); // the state of the process is unknown
    process.exit(1);
  });
  for (const name of unknownSettings())
    logger.warn(`${name} in .env is no setting of the service: see docs/settings.md.`);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT', 'SIGHUP'], { useProcessExit: true });
  await app.listen({ port: config.port, host: config.host, backlog: 4_096 }); // the kernel may lower it
  const origin = (await app.getUrl()).replace(/\[::1\]|0\.0\.0\.0/, 'localhost');
  const message = `The animal store listens at ${origin}${API_PREFIX}; documentation: ${origin}/docs`;
  if (config.databaseUrl) logger.info(message);
  else print(message);
  await app.get(Database).ready;
  if (!config.databaseUrl) await offerDevelopmentKey(app.get(KeysService), `${origin}${API_PREFIX}/pets`);
}

/** The first start on the embedded database issues a key, and prints a request to paste. */
async function offerDevelopmentKey(keys: KeysService, url: string): Promise<void> {
  if ((await keys.list()).length > 0) return print('To issue another API key, run: npm run keys -- issue --name me');
  const { key, expiresAt } = await keys.issue({ name: 'development' });
  print(`An API key for development, shown only once (expires on ${dayOf(expiresAt)}):\n  ${key}`);
  print(`Try it:\n  curl -i -H 'Authorization: Bearer ${key}' ${url}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A programming error is printed with its stack, because its message alone would not show where it is. */
function explain({ name, message, stack, syscall }: NodeJS.ErrnoException): string {
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `Cannot listen: ${message}. Set PORT and HOST to a free address.`;
  return /^(?:Type|Reference|Range|Syntax)Error$/.test(name) ? (stack ?? message) : message;
}
