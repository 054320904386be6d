// Fails when a runtime dependency has a known vulnerability of level high or critical, or when package-lock.json has
// records without integrity that are not listed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { integrityProblems } from './audit/integrity.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { giveUp, say } from './support/say.mjs';

const LIST = 'scripts/audit/without-integrity.txt';

refuseArguments('npm run audit', 'For other ways to audit: npm help audit');
checkIntegrity();
checkVulnerabilities();

function checkIntegrity() {
  const accepted = read(LIST).split('\n').filter(Boolean);
  const problems = integrityProblems(JSON.parse(read('package-lock.json')), accepted);
  if (problems.length > 0) giveUp(`package-lock.json, or ${LIST}:\n${problems.join('\n')}`);
  say(`package-lock.json: ${accepted.length} records without integrity, for other platforms.`);
}

function checkVulnerabilities() {
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
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
