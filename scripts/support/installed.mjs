import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const lockFile = join(root, 'package-lock.json');
/** npm's record of node_modules, written after all packages. */
const record = join(root, 'node_modules', '.package-lock.json');
const stamp = join(root, 'node_modules', '.installed-from');

export function isInstalled() {
  if (readOrNull(stamp) === fingerprint()) return true;
  if (!isInstalledByHand()) return false;
  markInstalled();
  return true;
}

/** Call before an installation, so that an interrupted one is repeated. */
export function markUninstalled() {
  rmSync(stamp, { force: true });
  rmSync(record, { force: true });
}

/** Call after a successful installation. */
export function markInstalled() {
  try {
    writeFileSync(stamp, fingerprint());
  } catch {
    // The folder belongs to another user; check again next time.
  }
}

/** Includes npm's record, to notice a manual `npm prune` or `npm install`. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of [lockFile, record]) hash.update(`\0${readOrNull(file)}`);
  return hash.digest('hex');
}

/**
 * Whether a manual `npm ci` or `npm install` is sufficient. Reinstalling would be slow, and offline it would destroy a
 * working installation. The record alone is not proof: `npm install --package-lock-only` changes it too.
 */
function isInstalledByHand() {
  const present = packagesIn(record);
  const { '': _project, ...wanted } = packagesIn(lockFile);
  return (
    Object.keys(present).length > 0 &&
    Object.entries(present).every(([path, entry]) => path in wanted && fitsThisMachine(entry)) &&
    Object.entries(wanted).every(([path, { version, optional }]) =>
      path in present ? installedVersion(path) === version : optional,
    )
  );
}

const packagesIn = (file) => JSON.parse(readOrNull(file) ?? '{}').packages ?? {};

const installedVersion = (path) => JSON.parse(readOrNull(join(root, path, 'package.json')) ?? '{}').version;

/** A folder shared with a container or another machine may hold binaries for another platform. */
const fitsThisMachine = ({ os, cpu }) => allows(os, process.platform) && allows(cpu, process.arch);

function allows(list, value) {
  if (!list) return true;
  return (
    list.includes(value) || (list.every((entry) => entry.startsWith('!')) && !list.includes(`!${value}`))
  );
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
