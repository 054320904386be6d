import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runChild } from '../support/run-child.mjs';
import { edited } from './edit.mjs';

const DONE = { code: 0, interrupted: null, output: '' };

/** Executes a step in a copy of the checkout. Every kind of step resolves to the result of a command. */
export async function takeStep({ folder, env }, step) {
  if (step.kind === 'command') {
    return runChild('sh', ['-c', step.command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }
  const path = fileIn(folder, step.path);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (step.kind === 'edit') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, edited(text, step.block));
  } else if (text !== `${step.block.join('\n')}\n`) {
    throw new Error(`${step.path} differs from the page. The file is:\n${text}`);
  }
  return DONE;
}

/** Expands a `*`, which stands for a part that varies, such as the timestamp of a migration. */
function fileIn(folder, path) {
  if (!path.includes('*')) return join(folder, path);
  const home = join(folder, dirname(path));
  const [start, end] = basename(path).split('*');
  const found = readdirSync(home).filter((name) => name.startsWith(start) && name.endsWith(end));
  if (found.length !== 1)
    throw new Error(`${path} must match one file, but matches ${found.length}: ${found.join(', ')}`);
  return join(home, found[0]);
}
