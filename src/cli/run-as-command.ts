import { printableLines } from '../common/printable.js';
import { OutcomeUnknown, toOutage } from '../database/database-errors.js';
import { UsageError } from './usage-error.js';

/**
 * Runs a command line: prints its result or a readable error, with control characters escaped. This room holds the
 * parts that command lines share; the commands themselves belong to their feature or to src/tools.
 */
export async function runAsCommand(command: () => string | Promise<string>): Promise<void> {
  try {
    const output = await command();
    await write(`${printableLines(output.trimEnd())}\n`);
  } catch (error) {
    process.stderr.write(`${printableLines(explain(error))}\n`);
    process.exitCode = 1;
  }
}

/** To a full disk, say. What the command did stays done. */
function write(text: string): Promise<void> {
  const { stdout } = process;
  stdout.once('error', () => {}); // the callback gets it, too
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      if (!error) resolve();
      else
        reject(
          new UsageError(
            `The command was carried out, but its output could not be written: ${error.message}`,
          ),
        );
    });
  });
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (toOutage(error, true) instanceof OutcomeUnknown)
    return `Whether the command took effect is unknown: look before you repeat it. ${(error as Error).message}`;
  return error instanceof Error ? `The command failed: ${error.message}` : String(error);
}
