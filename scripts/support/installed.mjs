import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

const lockFile = join(root, 'package-lock.json');
/** npm's own record of what is in node_modules. It writes this last, after the packages. */
const record = join(root, 'node_modules', '.package-lock.json');
const stamp = join(root, 'node_modules', '.installed-from');

export function isInstalled() {
  if (readOrNull(stamp) === fingerprint()) return true;
  if (!isInstalledByHand()) return false;
  markInstalled();
  return true;
}

/** To be called first: what an interrupted installation leaves behind then looks like none. */
export function markUninstalled() {
  rmSync(stamp, { force: true });
  rmSync(record, { force: true });
}

/** To be called last. */
export function markInstalled() {
  try {
    writeFileSync(stamp, fingerprint());
  } catch {
    // Somebody else's folder: look again the next time.
  }
}

/** npm's record is part of it, so that an `npm prune` or `npm install` by hand is noticed. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of [lockFile, record]) hash.update(`\0${readOrNull(file)}`);
  return hash.digest('hex');
}

/**
 * Whether somebody's own `npm ci` or `npm install` did what is needed. Installing again would be slow, and without a
 * network it would destroy what works. The record alone does not tell: `npm install --package-lock-only` changes it too.
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

/** A folder shared with a container or another computer may hold the programs of a different platform. */
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
