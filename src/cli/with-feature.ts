import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiModule } from '../api/api.module.js';
import { SystemClock } from '../common/clock.js';
import { CommonModule } from '../common/common.module.js';
import type { Config } from '../common/config/config.js';
import { ConfigError, environment, loadConfig } from '../common/config/load-config.js';
import { UsageError } from './usage-error.js';
import { waitForDatabase } from './wait-for-database.js';
import { connectionFor } from '../database/connection.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { DatabaseInUseError } from '../database/embedded/embedded-database.js';

const TIMEOUT_MS = 10_000;

/** Runs `use` with the providers of one feature, connected to the configured database. */
export async function withFeature<T>(
  feature: Type,
  use: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const context = await open(feature);
  try {
    await waitForDatabase(context.get(Database), TIMEOUT_MS);
    return await use(context);
  } finally {
    await context.close();
  }
}

/** Otherwise a command without the deployment's settings would succeed, on a database of its own. */
function requireDatabase(
  { databaseUrl, databaseDirectory, keyEnvironment }: Config,
  env: NodeJS.ProcessEnv,
): void {
  if (databaseUrl) return;
  if (keyEnvironment === 'live' && !env['DATABASE_DIR'])
    throw new UsageError(
      'KEY_ENVIRONMENT is live, but neither DATABASE_URL nor DATABASE_DIR is set.\n' +
        'Set one of them. In files that a shell reads, put addresses in quotes: & would end them.',
    );
  process.stderr.write(`In the embedded database ${databaseDirectory}:\n`);
}

async function open(feature: Type): Promise<INestApplicationContext> {
  try {
    const env = environment();
    const config = loadConfig(env);
    requireDatabase(config, env);
    const connection = await connectionFor(config, { share: true });
    const imports = [
      ObservabilityModule,
      ApiModule,
      CommonModule.forRoot(config, new SystemClock()),
      DatabaseModule.forRoot(connection),
      feature,
    ];
    return await NestFactory.createApplicationContext(
      { module: class Command {}, imports },
      { logger: false, abortOnError: false },
    );
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DatabaseInUseError) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
}
