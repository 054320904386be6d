import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../support/root.mjs';

/** What a fresh checkout would not have. The installed packages are the same ones, through a link. */
const LEFT_OUT = new Set(['.git', '.data', '.env', 'coverage', 'dist', 'node_modules']);
/** Settings that would lead the commands to something that exists outside the copy. */
const SETTINGS = ['DATABASE_URL', 'DATABASE_DIR', 'REDIS_URL', 'BASE_URL', 'API_KEY', 'NODE_OPTIONS'];

/** A copy of the checkout to try something on, in a folder of its own with a folder for what is temporary. */
export function makeCopy() {
  const home = mkdtempSync(join(tmpdir(), 'guide-'));
  const folder = join(home, 'checkout');
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  cpSync(root, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const env = { ...process.env, TMPDIR: temporary };
  for (const name of SETTINGS) delete env[name];
  return { folder, env, remove: () => rmSync(home, { recursive: true, force: true }) };
}
