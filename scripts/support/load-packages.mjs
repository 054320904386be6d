// Part of each bundled program: runs the packages, all of them one script, with V8's code cache for it. Node.js 20 accepts
// a cache for scripts only, not for modules. Without one for this version of Node.js and these V8 flags, the script is
// compiled again. V8 checks neither the text nor the bytes of the cache, and crashes on damaged ones: a checksum does.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const filename = fileURLToPath(new URL('../packages.cjs', import.meta.url));
export const cacheFile = `${filename}.${process.version}.cache`;

const SUM_BYTES = 4;
const [text, sumOfText] = readText();

export const script = new Script(text, { filename, cachedData: readCache() });

/** A function for each package that a program imports; it returns what `require` would. */
export const packages = {};
script.runInThisContext()(packages, createRequire(filename), filename, dirname(filename));

/** It is ASCII. As Latin-1, the text stays outside of the heap, in one byte per character. */
function readText() {
  const bytes = readFileSync(filename);
  return [bytes.toString('latin1'), crc32(bytes)];
}

/** Keeps the code that V8 has compiled so far. */
export function writeCache() {
  const code = script.createCachedData();
  writeFileSync(cacheFile, Buffer.concat([code, sumOf(code)]));
}

function readCache() {
  let bytes;
  try {
    bytes = readFileSync(cacheFile);
  } catch {
    return undefined; // while building, or built by another version
  }
  const code = bytes.subarray(0, -SUM_BYTES);
  return sumOf(code).equals(bytes.subarray(-SUM_BYTES)) ? code : undefined;
}

function sumOf(code) {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(code, sumOfText));
  return sum;
}
