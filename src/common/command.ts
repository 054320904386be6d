/** A mistake that the user can correct. The message is enough for that, so it is printed alone. */
export class UsageError extends Error {}

/** Runs a command, and prints its result, its usage after `--help`, or a readable error instead of a stack. */
export async function runCommand(usage: string, main: () => Promise<string>): Promise<void> {
  try {
    const text = process.argv.includes('--help') ? usage : await main();
    process.stdout.write(`${text}\n`);
  } catch (error) {
    process.stderr.write(`${explain(error as NodeJS.ErrnoException, usage)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: NodeJS.ErrnoException, usage: string): string {
  if (error instanceof UsageError) return error.message;
  if (error.code?.startsWith('ERR_PARSE_ARGS')) return `${error.message}\n\n${usage}`;
  return `The command failed: ${error.message}`;
}
