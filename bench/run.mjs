// `npm run bench` measures the service and its peers in one run, one at a time; see docs/performance/README.md.
import { stopSignals } from '../scripts/support/run-child.mjs';
import { prepare } from '../scripts/prepare.mjs';
import { say } from '../scripts/support/say.mjs';
import { Drill } from '../drills/support/drill.mjs';
import { requireTool } from '../scripts/support/tool.mjs';
import { readForm } from './form.mjs';

const form = readForm(process.argv.slice(2));
// Installs packages before importing modules that need them.
await prepare();
const { run } = await import(`./${form.subject}.mjs`);

const bench = new Drill([]);
for (const signal of stopSignals) process.on(signal, () => void bench.stop(signal));
say(form.title);
try {
  requireTool(bench, 'wrk');
  requireTool(bench, 'taskset', 'util-linux');
  await run(bench, form);
} catch (error) {
  bench.expect(`the bench completes: ${error.stack ?? error}`, false);
} finally {
  await bench.cleanUp();
}
process.exit(bench.report() ? 0 : 1);
