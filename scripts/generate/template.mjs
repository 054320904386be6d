import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../support/root.mjs';

const folder = join(root, 'scripts/generate/template');

/** The files of the template by path. They are ordinary code of an imaginary resource. */
export function readTemplate() {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

/** Every identifier and keyword in the template, without comments and strings. */
export function wordsOfTemplate() {
  const code = Object.values(readTemplate())
    .join('\n')
    .replaceAll(/\/\*\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
  return new Set(code.match(/[A-Za-z]\w*/g));
}
