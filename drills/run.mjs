// `npm run drill -- [--short] [name …]`: without a name, all drills in short form, or a list. Exits non-zero when one
// falls short; a drill that lacks a program, or the rights of root, is skipped with 69, and says so.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepare } from '../scripts/prepare.mjs';
import { giveUp, say } from '../scripts/support/programs.mjs';

const DRILLS = {
  'nothing-lost': 'replicas and PostgreSQL are killed under load: nothing acknowledged is lost, altered or doubled',
  'database-away': 'PostgreSQL is stopped, frozen, unreachable, moved: 503 at once, and back by itself',
  'rolling-restart': 'replicas behind HAProxy restart under load, and migrate at once: no request fails',
  overload: 'three times the load that it can serve: the service keeps its goodput and refuses the rest',
  'slow-clients': 'slow readers, heads and bodies take nothing from others',
  'bad-day': 'DDL, locks, full disks and logs, a frozen Redis: the service lives and recovers',
  alerts: 'the alerts of docker/prometheus fire when they should, and only then',
  cluster: 'a worker of a Citus cluster is killed, a shard is moved',
};
const SKIPPED = 69;

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
for (const name of named.length > 0 ? named : Object.keys(DRILLS)) {
  say(`${name}${isShort ? ', in short' : ''}: ${DRILLS[name]}`);
  const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...(isShort ? ['--short'] : [])], { stdio: 'inherit' });
  if (status === SKIPPED) say(`${name}: SKIPPED, see above`);
  else if (status !== 0) failed.push(name);
}
say(
  `${Math.round((performance.now() - begun) / 1_000)} s; ${failed.length ? `fell short: ${failed.join(', ')}` : 'all passed'}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
