// Runs one drill: `npm run drill -- timing`. Without a name it lists them. A drill is a file beside this one that
// exports `title` and `run(drill)`; what it may use is in support/.
import { readdirSync } from 'node:fs';
import { stopSignals } from '../scripts/support/run-child.mjs';
import { giveUp, say } from '../scripts/support/say.mjs';
import { Drill } from './support/drill.mjs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length));
const load = (name) => import(`./${name}.mjs`);

const [name, ...args] = process.argv.slice(2);
if (!names.includes(name)) await listAndLeave();

const { title, run } = await load(name);
const drill = new Drill(args);
for (const signal of stopSignals) process.on(signal, () => void drill.stop(signal));
say(`${name}: ${title}`);
try {
  await run(drill);
} catch (error) {
  drill.expect(`the drill runs to its end: ${error.stack ?? error}`, false);
} finally {
  await drill.cleanUp();
}
process.exit(drill.report() ? 0 : 1);

async function listAndLeave() {
  const lines = await Promise.all(
    names.map(async (known) => `  ${known.padEnd(16)}${(await load(known)).title}`),
  );
  giveUp(
    `${name ? `There is no drill ${name}.\n` : ''}Usage: npm run drill -- <name>\n\n${lines.join('\n')}`,
  );
}
