// `npm run sbom` writes sbom.cdx.json, the CycloneDX document of the packages that package-lock.json gives the image.
// CycloneDX's own program makes and validates it: `npm sbom --omit=dev` leaves out packages that development packages
// need too, such as @nestjs/core.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const FILE = 'sbom.cdx.json';
const COMMAND =
  '-y @cyclonedx/cyclonedx-npm@6.0.1 --package-lock-only --omit dev --flatten-components --mc-type application ' +
  `--output-reproducible --validate --output-file ${FILE}`;
const env = { ...process.env, npm_config_ignore_scripts: 'true' };

refuseArguments('npm run sbom', `It writes ${FILE}.`);
const ended = await runChild('npx', COMMAND.split(' '), { cwd: root, env, stdio: 'inherit' });
if (ended.code === 0) checkComplete();
else endLike(ended);

function checkComplete() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { components } = JSON.parse(readFileSync(join(root, FILE), 'utf8'));
  const listed = new Set(components.flatMap(({ properties }) => properties.map(({ value }) => value)));
  const installed = Object.keys(packages).filter((path) => path && !packages[path].dev);
  const missing = installed.filter((path) => !listed.has(path));
  if (missing.length > 0) giveUp(`${FILE} lacks ${missing.join(', ')}.`);
  say(`${FILE}: ${components.length} packages.`);
}
