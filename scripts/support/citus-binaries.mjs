import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { postgresBinaries } from './postgres-binaries.mjs';
import { serverAccount, temporaryFolder } from './postgres-cluster.mjs';
import { root } from './root.mjs';
import { giveUp } from './say.mjs';

/** The exit code where the extension is not there, or cannot be downloaded (EX_UNAVAILABLE of sysexits.h). */
export const UNAVAILABLE = 69;

/**
 * The programs of a PostgreSQL with the extension Citus: those installed, or a copy of them with the archive in
 * CITUS_ARCHIVE unpacked over it. Call `remove` at the end. `renew` replaces the copied programs by those of the latest
 * minor release, for an archive that was built for it, and tells whether it could.
 */
export function citusBinaries() {
  const binaries = postgresBinaries();
  if (hasCitus(binaries)) return { binaries, remove() {}, renew: () => false };
  const { CITUS_ARCHIVE: archive } = process.env;
  if (!archive) return giveUp(`The extension Citus is not installed.\n${HOW}`, UNAVAILABLE);
  const file = resolve(root, archive);
  if (!existsSync(file))
    return giveUp(`CITUS_ARCHIVE names ${archive}, which does not exist.\n${HOW}`, UNAVAILABLE);
  return unpack(binaries, file);
}

const HOW =
  'Install its package for your PostgreSQL (https://docs.citusdata.com/en/stable/installation/multi_node.html), such as ' +
  'postgresql-15-citus-13.0.\nOr set CITUS_ARCHIVE to a .tar.gz of its built files, with their paths from / on.';

/** PostgreSQL finds its files relative to its programs, so a copy in the same layout works anywhere. */
function unpack(binaries, file) {
  const folder = mkdtempSync(join(temporaryFolder(serverAccount()), 'citus-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    chmodSync(folder, 0o755); // for the account of the server
    for (const installed of [dirname(binaries), ask(binaries, '--sharedir')]) {
      mkdirSync(dirname(join(folder, installed)), { recursive: true });
      cpSync(installed, join(folder, installed), { recursive: true, dereference: true });
    }
    execFileSync('tar', ['-xzf', file, '-C', folder, '--no-same-owner']);
  } catch (error) {
    remove();
    throw error;
  }
  const copy = join(folder, binaries);
  if (hasCitus(copy)) return { binaries: copy, remove, renew: () => renew(binaries, folder) };
  remove();
  return giveUp(`${file} is for another PostgreSQL than that in ${binaries}.\n${HOW}`, UNAVAILABLE);
}

/** The package is unpacked into the copy. What is installed stays as it is. */
function renew(binaries, folder) {
  const [, major] = /^\/usr\/lib\/postgresql\/(\d+)\/bin$/.exec(binaries) ?? [];
  if (!major || process.getuid() !== 0) return false;
  const aptGet = (...args) => execFileSync('apt-get', ['-qq', ...args], { cwd: folder, stdio: 'ignore' });
  try {
    aptGet('update');
    aptGet('download', `postgresql-${major}`);
  } catch {
    return false;
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg-deb', ['--extract', join(folder, file), folder]);
  return true;
}

function hasCitus(binaries) {
  return existsSync(join(ask(binaries, '--sharedir'), 'extension', 'citus.control'));
}

function ask(binaries, what) {
  return execFileSync(join(binaries, 'pg_config'), [what], { encoding: 'utf8' }).trim();
}
