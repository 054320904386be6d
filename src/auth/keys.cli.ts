import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { SystemClock } from '../common/clock.js';
import { CommonModule } from '../common/common.module.js';
import { ConfigError, environment, loadConfig } from '../common/config/load-config.js';
import { connectionFor } from '../database/connection.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { DatabaseInUseError } from '../database/embedded/embedded-database.js';
import { AuthModule } from './auth.module.js';
import { keysTable } from './keys-table.js';
import { DAY_MS, KeysService } from './keys.service.js';

const USAGE = `API keys, from the command line:

  npm run keys -- issue --name NAME [--expires 90d] [--quiet]
      makes a key for NAME and shows it, this once; it lives for 365 days unless told otherwise
      (90d is 90 days, 12h is 12 hours); --quiet prints nothing but the key
  npm run keys -- list
      shows all keys, without what would let anybody use them
  npm run keys -- revoke ID
      makes a key stop working within seconds; ID is the number that "list" shows
`;

const PATIENCE_MS = 10_000;

/** A mistake in the command, told in words. */
class UsageError extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<void> {
  const command = readCommand(args);
  if (command.name === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  await withKeys(async (keys) => {
    if (command.name === 'issue') await issue(keys, command);
    else if (command.name === 'list') process.stdout.write(keysTable(await keys.list(), new Date()));
    else await revoke(keys, command.id);
  });
}

type Command =
  | { name: 'help' }
  | { name: 'list' }
  | { name: 'issue'; owner: string; lifeMs: number; quiet: boolean }
  | { name: 'revoke'; id: bigint };

function readCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  const [name, ...rest] = positionals;
  if (name === undefined || name === 'help' || values.help) return { name: 'help' };
  if (name === 'list' && rest.length === 0) return { name };
  if (name === 'issue' && rest.length === 0) {
    const owner = values.name?.trim();
    if (!owner) throw new UsageError('Say who the key is for: npm run keys -- issue --name NAME');
    return { name, owner, lifeMs: lifeMs(values.expires), quiet: values.quiet };
  }
  if (name === 'revoke') {
    const [id = ''] = rest;
    if (!/^\d{1,18}$/.test(id) || rest.length > 1) {
      throw new UsageError('Say which key, by the number that "list" shows: npm run keys -- revoke 3');
    }
    return { name, id: BigInt(id) };
  }
  throw new UsageError(`There is no such command: ${positionals.join(' ')}\n\n${USAGE}`);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        expires: { type: 'string', default: '365d' },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function lifeMs(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  if (!amount)
    throw new UsageError('Say how long the key lives in days or hours: --expires 90d or --expires 12h');
  return Number(amount) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
}

async function issue(keys: KeysService, command: Extract<Command, { name: 'issue' }>): Promise<void> {
  const { key, expiresAt } = await keys.issue(command.owner, command.lifeMs);
  if (command.quiet) {
    process.stdout.write(`${key}\n`);
    return;
  }
  process.stdout.write(
    `A key for ${command.owner}. It is shown this once; it expires on ${expiresAt.toISOString().slice(0, 10)}.\n\n  ${key}\n`,
  );
}

async function revoke(keys: KeysService, id: bigint): Promise<void> {
  if (!(await keys.revoke(id))) {
    throw new UsageError(`There is no key ${id} that still works. See: npm run keys -- list`);
  }
  process.stdout.write(`Key ${id} is revoked: it stops working within five seconds.\n`);
}

async function withKeys(use: (keys: KeysService) => Promise<void>): Promise<void> {
  const config = loadConfig(environment());
  const connection = await connectionFor(config);
  const imports = [
    CommonModule.forRoot(config, new SystemClock()),
    DatabaseModule.forRoot(connection),
    AuthModule,
  ];
  const app = await NestFactory.createApplicationContext(
    { module: class KeysCommand {}, imports },
    { logger: false, abortOnError: false },
  );
  try {
    await Promise.race([app.get(Database).whenReady(), unreachable()]);
    await use(app.get(KeysService));
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
