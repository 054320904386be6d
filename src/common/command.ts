import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from './config.js';

/** A mistake of the user, who needs only the message. */
export class UsageError extends Error {}

/** What to type for a program, in messages: the image has neither npm nor scripts. */
export function commandName(script: string, program: string): string {
  return existsSync('scripts') ? `npm run ${script} --` : `node dist/${program}.js`;
}

/** The options and words of the command line. */
export function argumentsOf<T extends ParseArgsConfig>(config: T, usage: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
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

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  return `The command failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** Escapes what a terminal executes or hides. */
const printable = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
