import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds a file of the project in the parent folders of this file. Its distance differs between the sources and the
 * build.
 */
export function findUp(path: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, path);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`The build lacks ${path}. Build it again.`);
  }
}
