import { fstatSync, writeFileSync } from 'node:fs';
import { printableLines } from '../common/printable.js';
import { OutcomeUnknown, toOutage } from '../database/database-errors.js';
import { UsageError } from './usage-error.js';

/** Text, and what to do when it is lost. */
export interface Output {
  readonly text: string;
  readonly ifLost?: string;
}

/**
 * Runs a command line: prints its result or a readable error, with control characters escaped. This room holds the
 * parts that command lines share; the commands themselves belong to their feature or to src/tools.
 */
export async function runAsCommand(command: () => string | Promise<string | Output>): Promise<void> {
  try {
    const output = await command();
    const { text, ifLost } = typeof output === 'string' ? { text: output } : output;
    await write(`${printableLines(text.trimEnd())}\n`, ifLost);
  } catch (error) {
    process.stderr.write(`${printableLines(explain(error))}\n`);
    process.exitCode = 1;
  }
}

/** To a full disk, say. What the command did stays done. */
async function write(text: string, ifLost = ''): Promise<void> {
  try {
    await writeAll(text);
  } catch (error) {
    throw new UsageError(
      `The command was carried out, but its output could not be written: ${(error as Error).message}\n${ifLost}`.trimEnd(),
    );
  }
}

function writeAll(text: string): Promise<void> {
  const { stdout } = process;
  return new Promise((resolve, reject) => {
    // Of what a file has no room for, the stream of Node.js drops the rest without an error.
    if (fstatSync(stdout.fd).isFile()) {
      writeFileSync(stdout.fd, text);
      return resolve();
    }
    stdout.once('error', () => {}); // the callback gets it, too
    stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (toOutage(error, true) instanceof OutcomeUnknown)
    return `Whether the command took effect is unknown: look before you repeat it. ${(error as Error).message}`;
  return error instanceof Error ? `The command failed: ${error.message}` : String(error);
}
