import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { Clock } from '../common/clock.js';
import { UsageError } from '../common/command.js';
import { Config, loadConfig } from '../common/config.js';
import { Database } from './database.js';
import { DatabaseModule } from './database.module.js';
import { meaningOf, reasonOf } from './errors.js';

const WAIT_MS = 10_000;

/** Runs `use` with the providers of one module, on the configured database, which it migrates first. */
export async function withModule<T>(
  module: Type | DynamicModule,
  use: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  if (!config.databaseUrl) process.stderr.write(`In the embedded database ${config.databaseDirectory}:\n`);
  const providers = [{ provide: Config, useValue: config }, Clock, Registry];
  const imports = [DatabaseModule, module];
  const root = { module: class CommandModule {}, global: true, imports, providers, exports: providers };
  const context = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    const database = context.get(Database);
    await Promise.race([database.ready, sleep(WAIT_MS, undefined, { ref: false })]);
    if (database.problem) throw new UsageError(`Check DATABASE_URL, and the server: ${database.problem}`);
    return await use(context);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const advice = meaningOf(error) === 'unknown' ? '. It may have taken effect: look before you repeat it.' : '';
    throw new Error(reasonOf(error) + advice, { cause: error });
  } finally {
    await context.close();
  }
}
