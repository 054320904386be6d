// `npm run alerts:check` checks docker/prometheus with promtool, runs the tests of its rules, and demands that each alert
// says what to do and fires in a test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { giveUp, require, root, run } from './support/programs.mjs';

process.chdir(join(root, 'docker', 'prometheus'));
const tests = readFileSync('rules.test.yml', 'utf8');
const alerts = parse(readFileSync('rules.yml', 'utf8')).groups.flatMap(({ rules }) => rules);
for (const { alert, labels, annotations } of alerts) {
  if (!/^(critical|warning|info)$/.test(labels?.severity)) giveUp(`${alert} has no severity in rules.yml.`);
  if (!annotations?.summary || !annotations.action) giveUp(`${alert} has no summary or no action in rules.yml.`);
  if (!tests.includes(`"${alert}"`)) giveUp(`${alert} fires in no test of rules.test.yml.`);
}
const promtool = require('promtool', 'prometheus');
process.exitCode =
  (await run(promtool, ['check', 'config', 'prometheus.yml'])) ||
  (await run(promtool, ['test', 'rules', 'rules.test.yml']));
