// `npm run drill -- [--short] [name …]`: without a name, all drills in short form, or a list. Exits non-zero when one
// falls short; a drill that lacks a program, or the rights of root, is skipped with 69, and says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { prepare } from '../scripts/prepare.mjs';
import { giveUp, root, say } from '../scripts/support/programs.mjs';

const SKIPPED = 69;
const AT_ONCE = 2;
const SENSITIVE = ['overload', 'slow-clients'];

const folder = join(root, 'drills');
const files = readdirSync(folder).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs');
const drills = files.map((file) => basename(file, '.mjs'));
const titleOf = (name) =>
  readFileSync(join(folder, `${name}.mjs`), 'utf8')
    .split('\n')[0]
    .slice('// '.length);

const args = process.argv.slice(2);
const isShort = args.includes('--short');
const named = args.filter((arg) => arg !== '--short');
if (named.some((name) => !drills.includes(name)) || (named.length === 0 && !isShort)) {
  const list = drills.map((name) => `  ${name.padEnd(18)}${titleOf(name)}`);
  giveUp(`Usage: npm run drill -- [--short] [name …]; --short without a name runs all.\n\n${list.join('\n')}`);
}

prepare();
const failed = [];
const names = named.length > 0 ? named : drills;
// What needs the machine for itself runs first. In short, the others wait more than they work, so some run at once.
const alone = names.filter((name) => !isShort || SENSITIVE.includes(name));
for (const name of alone) await runOne(name);
const others = names.filter((name) => !alone.includes(name));
await Promise.all(Array.from({ length: AT_ONCE }, worker));
const seconds = Math.round(performance.now() / 1_000);
say(`${seconds} s; ${failed.length > 0 ? `fell short: ${failed.join(', ')}` : 'none fell short'}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function worker() {
  while (others.length > 0) await runOne(others.shift());
}

async function runOne(name) {
  const command = [join(folder, `${name}.mjs`), ...(isShort ? ['--short'] : [])];
  if (!isShort) say(`${name}: ${titleOf(name)}`);
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', isShort ? 'pipe' : 'inherit'] });
  const ended = once(child, 'exit');
  if (isShort) say(`${name}: ${titleOf(name)}\n${(await text(child.stderr)).trimEnd()}`);
  const [code] = await ended;
  if (code === SKIPPED) say(`${name}: SKIPPED, see above`);
  else if (code !== 0) failed.push(name);
}
