import { printableLines } from './printable.js';
import { UsageError } from './usage-error.js';

/** Runs a command to its end and prints its result, or a failure in words; nothing in them can steer the terminal. */
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
