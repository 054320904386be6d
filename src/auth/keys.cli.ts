import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { SystemClock } from '../common/clock.js';
import { CommonModule } from '../common/common.module.js';
import { ConfigError, environment, loadConfig } from '../common/config/load-config.js';
import { connectionFor } from '../database/connection.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseInUseError } from '../database/embedded/embedded-database.js';
import { AuthModule } from './auth.module.js';
import { readCommand } from './cli/command-line.js';
import { runCommand } from './cli/run-command.js';
import { USAGE, UsageError } from './cli/usage.js';
import { KeysService } from './keys.service.js';

const PATIENCE_MS = 10_000;

try {
  const command = readCommand(process.argv.slice(2));
  const output = command.name === 'help' ? USAGE : await withKeys((keys) => runCommand(command, keys));
  process.stdout.write(`${output.trimEnd()}\n`);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

/** Opens the database that the settings name, and closes it when the work is done. */
async function withKeys<T>(use: (keys: KeysService) => Promise<T>): Promise<T> {
  const config = loadConfig(environment());
  const connection = await connectionFor(config);
  const imports = [
    CommonModule.forRoot({ ...config, redisUrl: undefined } as typeof config, new SystemClock()),
    DatabaseModule.forRoot(connection),
    AuthModule,
  ];
  const app = await NestFactory.createApplicationContext(
    { module: class KeysCommand {}, imports },
    { logger: false, abortOnError: false },
  );
  try {
    await Promise.race([app.get(Database).whenReady(), unreachable()]);
    return await use(app.get(KeysService));
  } finally {
    await app.close();
  }
}

async function unreachable(): Promise<never> {
  await delay(PATIENCE_MS, undefined, { ref: false });
  throw new UsageError('The database does not answer. Check DATABASE_URL, and that the server runs.');
}

function explain(error: unknown): string {
  const ownFault = [UsageError, ConfigError, DatabaseInUseError].some((kind) => error instanceof kind);
  if (ownFault) return (error as Error).message;
  return error instanceof Error ? `The command failed: ${error.message}` : String(error);
}
