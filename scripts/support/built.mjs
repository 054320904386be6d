import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.mjs';

const stamp = join(root, 'dist', '.built-from');

const BUNDLER = [
  'bundle.mjs',
  'support/bundling.mjs',
  'support/cache-packages.mjs',
  'support/load-packages.mjs',
  'support/start-and-cache.mjs',
];

export function isBuiltFrom(fingerprint) {
  try {
    return readFileSync(stamp, 'utf8') === fingerprint;
  } catch {
    return false;
  }
}

/** Call before a build, so that an interrupted one is repeated. */
export const markUnbuilt = () => rmSync(stamp, { force: true });

/** Call after a successful build. */
export const markBuiltFrom = (fingerprint) => writeFileSync(stamp, fingerprint);

/** A hash of all build inputs. Uses contents, because checkouts and copies change file times. */
export function sourceFingerprint() {
  const hash = createHash('sha256');
  for (const file of [...settings(), ...sources()].toSorted()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function settings() {
  return readdirSync(root)
    .filter((name) => /^(tsconfig.*|nest-cli|package-lock)\.json$/.test(name))
    .concat(BUNDLER.map((name) => join('scripts', name)))
    .map((name) => join(root, name));
}

function sources() {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
