import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveUp, say } from './say.mjs';

/** The folder with initdb, pg_ctl and postgres. Installs PostgreSQL when run as root on Debian. */
export function postgresBinaries() {
  const found = findPostgres();
  if (found) return found;
  if (process.getuid() === 0 && existsSync('/usr/bin/apt-get')) install();
  return (
    findPostgres() ??
    giveUp(
      'PostgreSQL is not installed. On Debian and Ubuntu: sudo apt-get install postgresql. On macOS: brew install postgresql.\n' +
        'Or set DATABASE_URL to a database that test data may be written to.',
    )
  );
}

/** The folder, if PostgreSQL is installed. POSTGRES_BINARIES comes before others. */
export function findPostgres() {
  const chosen = process.env.POSTGRES_BINARIES ? [process.env.POSTGRES_BINARIES] : [];
  const folders = [...chosen, ...debianFolders(), ...folderOnPath()];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** Debian installs the server binaries outside the PATH, one folder per major version. */
function debianFolders() {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent)) return [];
  const newestFirst = readdirSync(parent).toSorted((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(parent, version, 'bin'));
}

function folderOnPath() {
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}

function install() {
  say('Installing PostgreSQL (apt-get install postgresql) …');
  // Keeps the Debian package from starting the cluster that it creates.
  const settings = mkdtempSync(join(tmpdir(), 'postgresql-common-'));
  writeFileSync(join(settings, 'createcluster.conf'), "start_conf = 'manual'\n");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', PGSYSCONFDIR: settings };
  const aptGet = (...args) => spawnSync('apt-get', ['-qq', ...args], { env, encoding: 'utf8' });
  try {
    const update = aptGet('update');
    const { status, stderr } = aptGet('install', '-y', '--no-install-recommends', 'postgresql');
    if (status !== 0) say(update.stderr + stderr);
  } finally {
    rmSync(settings, { recursive: true });
  }
}
