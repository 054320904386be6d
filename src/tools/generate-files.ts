import { readFile, writeFile } from 'node:fs/promises';
import { runAsCommand } from '../cli/run-as-command.js';
import { UsageError } from '../cli/usage-error.js';

/**
 * Runs a command that writes generated files or, with `--check`, fails when a committed one is out of date. This room
 * holds the commands of the checkout that build the whole application; nothing that runs in production is here.
 */
export function generateFiles(
  command: string,
  generate: () => Promise<Record<string, string>>,
): Promise<void> {
  return runAsCommand(async () => {
    const [option, ...more] = process.argv.slice(2);
    if ((option !== undefined && option !== '--check') || more.length > 0) {
      throw new UsageError(
        `Usage: npm run ${command} writes the files, npm run ${command}:check compares them.`,
      );
    }
    const files = Object.entries(await generate());
    for (const [file, text] of files) {
      if (option === undefined) await writeFile(file, text);
      else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
        throw new UsageError(`${file} is out of date. Run "npm run ${command}" and commit the result.`);
      }
    }
    return `${files.map(([file]) => file).join(' and ')}: ${option === undefined ? 'written' : 'up to date'}.`;
  });
}

/** Replaces what a page has between `<!-- name:begin -->` and `<!-- name:end -->`. */
export function replaceBetween(name: string, page: string, text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new UsageError(`The page has no lines ${begin} and ${end}.`);
  return `${page.slice(0, before + begin.length)}\n\n${text}\n\n${page.slice(after)}`;
}
