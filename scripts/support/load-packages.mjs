// Part of each bundled program: runs the packages, all of them one script, with V8's code cache for it. Node.js 20 accepts
// a cache for scripts only, not for modules. Without one for this version of Node.js and these V8 flags, the script is
// compiled again. V8 does not compare the text: after a change of it, the cache must be made again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const filename = fileURLToPath(new URL('../packages.cjs', import.meta.url));
export const cacheFile = `${filename}.${process.version}.cache`;

// It is ASCII. As Latin-1, the text stays outside of the heap, in one byte per character.
export const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: readCache(),
});

/** A function for each package that a program imports; it returns what `require` would. */
export const packages = {};
script.runInThisContext()(packages, createRequire(filename), filename, dirname(filename));

function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined; // while building, or built by another version
  }
}
