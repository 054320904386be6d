import { printableLines } from '../common/printable.js';
import { UsageError } from './usage-error.js';

/**
 * Runs a command line: prints its result or a readable error, with control characters escaped. This room holds the
 * parts that command lines share; the commands themselves belong to their feature or to src/tools.
 */
export async function runAsCommand(command: () => string | Promise<string>): Promise<void> {
  try {
    const output = await command();
    process.stdout.write(`${printableLines(output.trimEnd())}\n`);
  } catch (error) {
    process.stderr.write(`${printableLines(explain(error))}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  return error instanceof Error ? `The command failed: ${error.message}` : String(error);
}
