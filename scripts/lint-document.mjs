// `npm run document:lint` checks openapi.json against the recommended rules of Redocly and Spectral. Both have hundreds
// of dependencies that nothing else needs, so npx fetches these exact versions on demand.
import { install } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const LINTERS = [
  '@redocly/cli@2.77.0 lint openapi.json --config redocly.yaml',
  '@stoplight/spectral-cli@6.16.3 lint openapi.json --ruleset .spectral.yaml --fail-severity hint',
].map((line) => line.split(' '));
const env = {
  ...process.env,
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  npm_config_ignore_scripts: 'true',
};

refuseArguments('npm run document:lint', 'It checks openapi.json, which npm run openapi writes.');
await install();
for (const linter of LINTERS) {
  const ended = await runChild('npx', ['-y', ...linter], { cwd: root, env, stdio: 'inherit' });
  if (ended.interrupted) {
    endLike(ended);
    break;
  }
  if (ended.code === 127) giveUp(`npx did not start. Install npm, which includes it. ${ended.output}`);
  if (ended.code !== 0) {
    giveUp(
      `${linter[0]} rejects openapi.json. Fix its findings in src/api/document or in the features, then run ` +
        '"npm run openapi". Without findings above, npx could not download the linter.',
    );
  }
}
say('Redocly and Spectral found no problems in openapi.json.');
