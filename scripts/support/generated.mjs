import { readFileSync, writeFileSync } from 'node:fs';
import { argumentsOf, giveUp } from './programs.mjs';

const { check } = argumentsOf('The only option is --check.', { options: { check: { type: 'boolean' } } }).values;

/** Writes a generated file; with `--check`, fails if the committed one is out of date. */
export function writeOrCheck(path, text, command) {
  if (!check) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text)
    giveUp(`${path} is out of date: run "${command}" and commit the result.`);
}
