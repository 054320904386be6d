// `npm run audit` fails when a dependency of the service has a known vulnerability of level high or critical, or a package
// has no integrity in package-lock.json.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, root, say } from './support/programs.mjs';

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
// Of optional development packages, a registry may have those for its own platform only.
const without = Object.entries(packages).filter(
  ([path, { integrity, link, dev, optional }]) => path && !integrity && !link && !(dev && optional),
);
if (without.length > 0) giveUp(`Without integrity in package-lock.json: ${without.map(([path]) => path).join(', ')}`);

const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
if (status === 0) say('No known vulnerability of level high or critical.');
else if (stdout.includes('"vulnerabilities"')) giveUp(`${stdout}\nUpdate these packages.`);
else say('Known vulnerabilities are not checked: the registry does not support it.');
