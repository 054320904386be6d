import { readFileSync, writeFileSync } from 'node:fs';
import { UsageError } from './database/command.js';

/** Writes generated files, or with `--check` fails when a committed one is out of date. */
export function writeOrCheck(files: Record<string, string>): string {
  const [option, ...more] = process.argv.slice(2);
  const isCheck = option === '--check';
  if ((option && !isCheck) || more.length > 0) throw new UsageError('The only option is --check.');
  for (const [path, text] of Object.entries(files)) {
    if (!isCheck) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text)
      throw new UsageError(`${path} is out of date: generate it, and commit the result.`);
  }
  return `${Object.keys(files).join(' and ')}: ${isCheck ? 'up to date' : 'written'}.`;
}
