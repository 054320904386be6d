// `npm run dev` runs the service and restarts it after every change in src or .env. If a change does not compile or load,
// the error is shown and the service keeps running. Types are not checked; for that there is `npm run types`.
import { mkdirSync, mkdtempSync, rmSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { install } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { stopSignals } from './support/run-child.mjs';
import { say } from './support/say.mjs';

/** Editors save a file in several steps. */
const SETTLE_MS = 20;

refuseArguments('npm run dev', 'Settings are variables: PORT=4000 npm run dev');
await install();
process.chdir(root);
const { DevCompiler } = await import('./support/dev-compiler.mjs');
const { DevProcess } = await import('./support/dev-process.mjs');

const cache = join(root, 'node_modules', '.cache', 'animal-store');
mkdirSync(cache, { recursive: true });
const out = mkdtempSync(join(cache, 'dev-')); // unique, since another one may run on another port
const compiler = new DevCompiler(join(root, 'src'), out);
const urlOf = (name) => pathToFileURL(join(out, name)).href;

const freshProcess = () => new DevProcess([...compiler.packages]);

const first = compiler.update();
let running;
let standby = freshProcess();
let settingsChanged = false;
let work = take(first);

watch(join(root, 'src'), { recursive: true }, look);
watch(root, (_, name) => {
  if (name !== '.env') return;
  settingsChanged = true;
  look();
});
for (const signal of stopSignals) process.once(signal, () => void leave(signal));

/** Handles changes one after the other; changes made meanwhile are handled next. */
function look() {
  work = turnAfter(work);
}

async function turnAfter(earlier) {
  await earlier;
  await delay(SETTLE_MS);
  const update = compiler.update();
  if (update.changed.length === 0 && !settingsChanged) return;
  say(`Changed: ${update.changed.map((file) => relative(root, file)).join(', ') || '.env'}`);
  await take(update);
}

async function take({ errors }) {
  settingsChanged = false;
  if (errors.length > 0) return tell(errors.join('\n\n'));
  const began = performance.now();
  const next = standby;
  const wrong = await next.ask('load', urlOf('app.js'));
  if (wrong) {
    tell(wrong);
    await next.stop();
  } else {
    await running?.stop();
    running = next;
    const failure = await next.ask('start', urlOf('main.js'));
    say(
      failure
        ? `${failure} Waiting for a change …`
        : `Started in ${Math.round(performance.now() - began)} ms.`,
    );
    if (failure) running = undefined;
  }
  standby = freshProcess();
}

function tell(problem) {
  say(
    `${problem}\n\n${running ? 'The service keeps running unchanged.' : 'The service is not running.'} Waiting for a change …`,
  );
}

async function leave(signal) {
  await Promise.all([running?.stop(), standby.stop()]);
  rmSync(out, { recursive: true, force: true });
  process.kill(process.pid, signal);
}
