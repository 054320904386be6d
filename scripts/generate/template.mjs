import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../support/root.mjs';

const folder = join(root, 'scripts/generate/template');

/** The files of the template by their path. They are code as it is written by hand, of a resource that does not exist. */
export function readTemplate() {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

/** Every word of the code, comments and texts left out. */
export function wordsOfTemplate() {
  const code = Object.values(readTemplate())
    .join('\n')
    .replaceAll(/\/\*\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
  return new Set(code.match(/[A-Za-z]\w*/g));
}
