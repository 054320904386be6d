import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Clock } from '../common/clock.js';
import { UsageError } from '../common/command.js';
import { Config, loadConfig } from '../common/config.js';
import { Metrics } from '../common/metrics.js';
import { Database } from './database.js';
import { DatabaseModule } from './database.module.js';
import { meaningOf, reasonOf } from './errors.js';

const WAIT_MS = 10_000;

/** Runs `use` with the providers of one module, connected to the configured database. */
export async function withModule<T>(
  module: Type | DynamicModule,
  use: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  if (!config.databaseUrl) process.stderr.write(`In the embedded database ${config.databaseDirectory}:\n`);
  const providers = [{ provide: Config, useValue: config }, Clock, Metrics];
  const imports = [DatabaseModule, module];
  const root = { module: CommandModule, global: true, imports, providers, exports: providers };
  const context = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    await waitFor(context.get(Database));
    return await use(context);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (meaningOf(error)?.kind !== 'unknown') throw new Error(reasonOf(error), { cause: error });
    const warning = 'Whether the command took effect is unknown: look before you repeat it.';
    throw new UsageError(`${warning} ${reasonOf(error)}`, { cause: error });
  } finally {
    await context.close();
  }
}

class CommandModule {}

async function waitFor(database: Database): Promise<void> {
  await Promise.race([database.whenReady(), sleep(WAIT_MS, undefined, { ref: false })]);
  if (database.isReady) return;
  const problem = `The database cannot be used: ${database.problem ?? 'it does not answer'}`;
  throw new UsageError(`${problem}\nCheck DATABASE_URL, and that the server is running.`);
}
