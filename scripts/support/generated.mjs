import { readFileSync, writeFileSync } from 'node:fs';
import { giveUp } from './programs.mjs';

/** Writes a generated file; with `--check`, fails if the committed one is out of date. */
export function writeOrCheck(path, text, command) {
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text)
    giveUp(`${path} is out of date: run "${command}" and commit the result.`);
}
