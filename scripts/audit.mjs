// `npm run audit` fails when a dependency of the service has a known vulnerability of level high or critical.
import { spawnSync } from 'node:child_process';
import { giveUp, root, say } from './support/programs.mjs';

const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
if (status === 0) say('No known vulnerability of level high or critical.');
else if (stdout.includes('"vulnerabilities"')) giveUp(`${stdout}\nUpdate these packages.`);
else say('Known vulnerabilities are not checked: the registry does not support it.');
