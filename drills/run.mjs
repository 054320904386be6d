// `npm run drill -- [--short] [name …]`: without a name, all drills in short form, or a list. Exits non-zero when one
// falls short; a drill that lacks a program, or the rights of root, is skipped with 69, and says so.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from '../scripts/prepare.mjs';
import { giveUp, root, run, say } from '../scripts/support/programs.mjs';

const SKIPPED = 69;
/** These need the machine for themselves. The others wait more than they work: two rows of them run side by side. */
const ALONE = ['overload', 'slow-clients', 'cluster'];
const ROWS = [
  ['alerts', 'nothing-lost'],
  ['bad-day', 'database-away', 'rolling-restart'],
];

const folder = join(root, 'drills');
const drills = [ALONE, ...ROWS].flat();
const args = process.argv.slice(2);
const named = args.filter((arg) => arg !== '--short');
if (named.some((name) => !drills.includes(name)) || args.length === 0) {
  const titles = execFileSync('grep', ['-m1', '//', ...drills.map((name) => `${name}.mjs`)], { cwd: folder });
  giveUp(`Usage: npm run drill -- [--short] [name …]; --short without a name runs all.\n\n${String(titles)}`);
}

prepare();
const failed = [];
await runEach(named.length > 0 ? named : ALONE);
if (named.length === 0) await Promise.all(ROWS.map(runEach));
const seconds = Math.round(performance.now() / 1_000);
say(`${seconds} s; ${failed.length > 0 ? `fell short: ${failed.join(', ')}` : 'none fell short'}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runEach(names) {
  for (const name of names) {
    const code = await run(process.execPath, [join(folder, `${name}.mjs`), ...args.filter((arg) => arg === '--short')]);
    if (code === SKIPPED) say(`${name}: SKIPPED, see above`);
    else if (code !== 0) failed.push(name);
  }
}
