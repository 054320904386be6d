import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A file of this project, by its path from some folder above: the code lies at another distance from it in the sources
 * than in what is built of them.
 */
export function nearestFile(path: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, path);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`There is no ${path} with the service. Build it again.`);
  }
}
