// Fails when a runtime dependency has a known vulnerability of level high or critical.
import { spawnSync } from 'node:child_process';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { giveUp, say } from './support/say.mjs';

refuseArguments('npm run audit', 'For other ways to audit: npm help audit');
const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
const report = parse(stdout);
if (report?.error || !report?.metadata) {
  // Some registries and networks offer no audit. That must not fail a change.
  say('Audit skipped: the registry does not support it.');
} else if (status === 0) {
  say('No known vulnerability of level high or critical.');
} else {
  giveUp(
    `${JSON.stringify(report.vulnerabilities, null, 2)}\nUpdate the packages above. For details: npm audit --omit=dev`,
  );
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
