// Checks openapi.json with the rules that Redocly and Spectral recommend: `npm run document:lint`.
// Both bring hundreds of packages that nothing else here needs, so they are no dependencies: npx fetches these exact
// versions when they are asked for.
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
  if (ended.code === 127) giveUp(`npx cannot be started: ${ended.output}`);
  if (ended.code !== 0) {
    giveUp(
      `${linter[0]} did not pass openapi.json. Mend what it names where the document is made (src/api/document), ` +
        'then run "npm run openapi". If it names nothing, npx could not fetch it.',
    );
  }
}
say('Redocly and Spectral have nothing to say against openapi.json.');
