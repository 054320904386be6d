// `npm run drill -- timing` runs one drill; without a name it lists all. A drill is a file beside this one that exports
// `title` and `run(drill)`, and `hasShortForm` if it supports `drill.short`. Shared code is in support/.
// `npm run drill -- --short [names]` runs the short forms, of all drills or of those named.
import { readdirSync } from 'node:fs';
import { install } from '../scripts/prepare.mjs';
import { stopSignals } from '../scripts/support/run-child.mjs';
import { giveUp, say } from '../scripts/support/say.mjs';
import { Drill } from './support/drill.mjs';
import { runShortDrills } from './support/short-drills.mjs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length));
const load = (name) => import(`./${name}.mjs`);

await install(); // drills use the packages of the project
const [name, ...args] = process.argv.slice(2);
if (name === '--short') {
  const chosen = args.filter((arg) => names.includes(arg));
  const others = args.filter((arg) => !names.includes(arg));
  process.exit((await runShortDrills(chosen.length > 0 ? chosen : await shortOnes(), others)) ? 0 : 1);
}
if (!names.includes(name)) await listAndLeave();

const { title, run, hasShortForm = false } = await load(name);
if (args.includes('--short') && !hasShortForm) giveUp(`${name} has no short form. Run it without --short.`);
const drill = new Drill(args);
for (const signal of stopSignals) process.on(signal, () => void drill.stop(signal));
say(`${name}${drill.short ? ', in short' : ''}: ${title}`);
try {
  await run(drill);
} catch (error) {
  drill.expect(`the drill completes: ${error.stack ?? error}`, false);
} finally {
  await drill.cleanUp();
}
process.exit(drill.report() ? 0 : 1);

async function shortOnes() {
  const drills = await Promise.all(names.map(async (known) => ({ known, ...(await load(known)) })));
  return drills.filter(({ hasShortForm }) => hasShortForm).map(({ known }) => known);
}

async function listAndLeave() {
  const lines = await Promise.all(
    names.map(async (known) => {
      const { title, hasShortForm } = await load(known);
      return `  ${known.padEnd(24)}${title}${hasShortForm ? ' (--short)' : ''}`;
    }),
  );
  const usage =
    'Usage: npm run drill -- <name> [--short] [--markdown]\n       npm run drill -- --short [<name> …]';
  giveUp(`${name ? `There is no drill ${name}.\n` : ''}${usage}\n\n${lines.join('\n')}`);
}
