import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../support/root.mjs';

/** Files that a fresh checkout does not have. The installed packages are linked instead of copied. */
const LEFT_OUT = new Set(['.git', '.data', '.env', 'coverage', 'dist', 'node_modules']);
/** Settings that would point the commands at something outside the copy. */
const SETTINGS = ['DATABASE_URL', 'DATABASE_DIR', 'REDIS_URL', 'BASE_URL', 'API_KEY', 'NODE_OPTIONS'];

/** Creates a copy of the checkout in a temporary folder, with its own TMPDIR. */
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
