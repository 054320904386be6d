import { existsSync } from 'node:fs';

/** A mistake of the user, who needs only the message. */
export class UsageError extends Error {}

/** What to type for a program, in messages: the image has neither npm nor scripts. */
export function commandName(script: string, program: string): string {
  return existsSync('scripts') ? `npm run ${script} --` : `node dist/${program}.js`;
}

/** Runs a command line: prints its result, how to use it with `--help`, or an error that can be read. */
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
