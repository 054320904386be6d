// Makes a checkout ready to run. Must not import packages, because it installs them.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuiltFrom, markBuiltFrom, markUnbuilt, sourceFingerprint } from './support/built.mjs';
import { isInstalled, markInstalled, markUninstalled } from './support/installed.mjs';
import { requireNode } from './support/node-version.mjs';
import { oneAtATime } from './support/one-at-a-time.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

export async function prepare() {
  await install();
  await build();
}

/** Installs the dependencies of package-lock.json unless they are installed already. */
export async function install() {
  requireNode();
  if (isInstalled()) return;
  await oneAtATime(async (lock) => {
    if (isInstalled()) return; // by the process that held the lock
    requireWritable('node_modules', 'The dependencies');
    say('Installing the dependencies (npm ci) …');
    markUninstalled();
    // --include=dev: NODE_ENV=production would omit the build tools. --ignore-scripts: no dependency needs its install
    // script, and one of them reports the installation to an analytics service.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--loglevel=error', '--no-update-notifier'];
    await requireSuccess(await withNpmCache((env) => run('npm', args, lock, env)), 'npm ci');
    markInstalled();
  });
}

/** Builds dist unless it is up to date. */
export async function build() {
  if (isBuiltFrom(sourceFingerprint())) return;
  await oneAtATime(async (lock) => {
    const fingerprint = sourceFingerprint();
    if (isBuiltFrom(fingerprint)) return;
    requireWritable('dist', 'The compiled service');
    say('Building (nest build, esbuild) …');
    markUnbuilt();
    const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
    await requireSuccess(await run(process.execPath, [nest, 'build'], lock), 'nest build');
    const bundle = join('scripts', 'bundle.mjs');
    await requireSuccess(await run(process.execPath, [bundle], lock), 'scripts/bundle.mjs');
    markBuiltFrom(fingerprint);
  });
}

function requireWritable(name, purpose) {
  const folder = existsSync(join(root, name)) ? join(root, name) : root;
  if (isWritable(folder)) return;
  giveUp(
    `${purpose} must be written to ${join(root, name)}, but this user (uid ${process.getuid?.()}) cannot write to ${folder}.\n` +
      'Run this as the owner of the folder, or run "npm run build" as the owner first.',
  );
}

/** Provides a temporary npm cache for accounts without a writable home, such as service accounts and random uids. */
async function withNpmCache(task) {
  if (isWritable(homedir())) return task(process.env);
  const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
  try {
    return await task({ ...process.env, npm_config_cache: cache });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const run = (command, args, lock, env = process.env) =>
  runChild(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe', lock] });

/** Shows the output of a command only if it failed. */
async function requireSuccess(end, task) {
  if (end.interrupted) {
    endLike(end);
    await new Promise(() => {}); // the signal ends this process
  }
  if (end.code !== 0) giveUp(`${end.output.trimEnd()}\nFailed: ${task}. Fix the error above and try again.`);
}
