// `npm run alerts:check` checks docker/prometheus with promtool, runs the tests of its rules, and compares the addresses
// with docker/compose.yaml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';
import { requireTool } from './support/tool.mjs';

const folder = join(root, 'docker', 'prometheus');
const read = (name) => readFileSync(join(folder, name), 'utf8');

refuseArguments('npm run alerts:check', 'It checks docker/prometheus.');
await install();
const { parse } = await import('yaml');
try {
  requireTool({ progress: say }, 'promtool', 'prometheus');
} catch (error) {
  giveUp(error.message);
}
const alerts = parse(read('rules.yml')).groups.flatMap(({ rules }) => rules);
const tests = read('rules.test.yml');
const faults = [...alerts.flatMap(faultsOf), ...unexposed()];
if (faults.length > 0) giveUp(faults.join('\n'));
for (const args of [
  ['check', 'config', 'prometheus.yml'],
  ['test', 'rules', 'rules.test.yml'],
]) {
  const ended = await runChild('promtool', args, { cwd: folder, stdio: 'inherit' });
  if (ended.interrupted || ended.code !== 0) {
    endLike(ended);
    break;
  }
}

function faultsOf({ alert, labels, annotations }) {
  const faults = [];
  if (!/^(critical|warning|info)$/.test(labels?.severity))
    faults.push(`${alert}: give it the severity critical, warning or info in rules.yml.`);
  if (!annotations?.summary || !annotations.action)
    faults.push(`${alert}: say what happens (summary) and what to do (action) in rules.yml.`);
  if (!new RegExp(`"(${alert})"`).test(tests))
    faults.push(`${alert}: add a test to rules.test.yml in which it fires.`);
  return faults;
}

/** Addresses that containers of docker/compose.yaml do not listen on. */
function unexposed() {
  const { services } = parse(read('../compose.yaml'), { merge: true });
  const jobs = parse(read('prometheus.yml')).scrape_configs;
  const targets = jobs.flatMap((job) => job.static_configs ?? []).flatMap((some) => some.targets);
  return targets
    .filter((target) => !services[target.split(':')[0]]?.expose?.includes(target.split(':')[1]))
    .map(
      (target) =>
        `prometheus.yml scrapes ${target}: expose it in docker/compose.yaml, or correct the address.`,
    );
}
