import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Clock } from '../common/clock.js';
import { Config, ConfigError, loadConfig } from '../common/config.js';
import { Metrics } from '../common/metrics.js';
import { Database } from './database.js';
import { DatabaseModule } from './database.module.js';
import { meaningOf, reasonOf } from './errors.js';

const WAIT_MS = 10_000;

/** A mistake of the user, who needs only the message. */
export class UsageError extends Error {}

/** What to type for a program, in messages: the image has neither npm nor scripts. */
export function commandName(script: string, program: string): string {
  return existsSync('scripts') ? `npm run ${script} --` : `node dist/${program}.js`;
}

/** Runs a command line: prints its result, or an error that can be read. */
export async function runCommand(main: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${printable((await main()).trimEnd())}\n`);
  } catch (error) {
    process.stderr.write(`${printable(explain(error))}\n`);
    process.exitCode = 1;
  }
}

/** Runs `use` with the providers of one module, connected to the configured database. */
export async function withModule<T>(module: Type, use: (context: INestApplicationContext) => Promise<T>): Promise<T> {
  const config = loadConfig();
  requireDatabase(config);
  const providers = [{ provide: Config, useValue: config }, Clock, Metrics];
  const common = { module: CommandModule, global: true, providers, exports: [...providers] };
  const root = { module: class {}, imports: [common, DatabaseModule.forRoot(), module] };
  const context = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    await waitFor(context.get(Database));
    return await use(context);
  } finally {
    await context.close();
  }
}

@Module({})
class CommandModule {}

/** Otherwise a command without the settings of the deployment would succeed, in a database of its own. */
function requireDatabase({ databaseUrl, databaseDirectory, keyEnvironment }: Config): void {
  if (databaseUrl) return;
  if (keyEnvironment === 'live' && databaseDirectory === new Config().databaseDirectory)
    throw new UsageError('KEY_ENVIRONMENT is live: set DATABASE_URL or DATABASE_DIR (in quotes, if a shell reads it).');
  process.stderr.write(`In the embedded database ${databaseDirectory}:\n`);
}

async function waitFor(database: Database): Promise<void> {
  await Promise.race([database.whenReady(), sleep(WAIT_MS, undefined, { ref: false })]);
  if (database.isReady) return;
  const problem = `The database cannot be used: ${database.problem ?? 'it does not answer'}`;
  throw new UsageError(`${problem}\nCheck DATABASE_URL, and that the server is running.`);
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  if (meaningOf(error)?.kind === 'unknown')
    return `Whether the command took effect is unknown: look before you repeat it. ${reasonOf(error)}`;
  return `The command failed: ${reasonOf(error)}`;
}

/** Escapes what a terminal executes or hides. */
const printable = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
