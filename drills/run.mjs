// `npm run drill -- [--short] [name …]`: without a name, all drills in short form, or a list. Exits non-zero when one
// falls short; a drill that lacks a program, or the rights of root, is skipped with 69, and says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';
import { giveUp, say } from '../scripts/support/programs.mjs';

const DRILLS = {
  alerts: 'the alerts of docker/prometheus fire when they should, and only then',
  'nothing-lost': 'replicas and PostgreSQL are killed under load: nothing acknowledged is lost, altered or doubled',
  'database-away': 'PostgreSQL is stopped, frozen, unreachable, moved: 503 at once, and back by itself',
  'rolling-restart': 'replicas behind HAProxy restart under load, and migrate at once: no request fails',
  overload: 'three times the load that it can serve: the service keeps its goodput and refuses the rest',
  'slow-clients': 'slow readers, heads and bodies take nothing from others',
  'bad-day': 'DDL, locks, full disks and logs, a frozen Redis: the service lives and recovers',
  cluster: 'a worker of a Citus cluster is killed, a shard is moved',
};
const SKIPPED = 69;
const AT_ONCE = 2;
const SENSITIVE = ['overload', 'slow-clients'];

const args = process.argv.slice(2);
const isShort = args.includes('--short');
const named = args.filter((arg) => arg !== '--short');
const unknown = named.filter((name) => !Object.hasOwn(DRILLS, name));
if (unknown.length > 0 || (named.length === 0 && !isShort)) {
  const list = Object.entries(DRILLS).map(([name, title]) => `  ${name.padEnd(18)}${title}`);
  giveUp(`Usage: npm run drill -- [--short] [name …]; --short without a name runs all.\n\n${list.join('\n')}`);
}

prepare();
const failed = [];
const begun = performance.now();
const names = named.length > 0 ? named : Object.keys(DRILLS);
// What needs the machine for itself runs first. In short, the others wait more than they work, so some run at once.
const alone = names.filter((name) => !isShort || SENSITIVE.includes(name));
for (const name of alone) await runOne(name);
const others = names.filter((name) => !alone.includes(name));
await Promise.all(Array.from({ length: AT_ONCE }, worker));
const seconds = Math.round((performance.now() - begun) / 1_000);
say(`${seconds} s; ${failed.length > 0 ? `fell short: ${failed.join(', ')}` : 'none fell short'}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function worker() {
  while (others.length > 0) await runOne(others.shift());
}

async function runOne(name) {
  const args = [fileURLToPath(new URL(`${name}.mjs`, import.meta.url)), ...(isShort ? ['--short'] : [])];
  if (!isShort) say(`${name}: ${DRILLS[name]}`);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', isShort ? 'pipe' : 'inherit'] });
  const ended = once(child, 'exit');
  if (isShort) say(`${name}: ${DRILLS[name]}\n${(await text(child.stderr)).trimEnd()}`);
  const [code] = await ended;
  if (code === SKIPPED) say(`${name}: SKIPPED, see above`);
  else if (code !== 0) failed.push(name);
}
