// `npm run compatibility:check` fails if openapi.json does more than add to the released document. oasdiff compares them;
// no package of npm does as well. Go fetches and builds this exact version on demand, and keeps it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, judge, MORE_BREAKS, withLevels } from './compatibility/rules.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const OASDIFF = 'github.com/oasdiff/oasdiff@v1.30.0';
const RELEASED = 'docs/released';

refuseArguments('npm run compatibility:check', 'It compares openapi.json, which npm run openapi writes.');
const folder = await mkdtemp(join(tmpdir(), 'compatibility-'));
const ended = await compare().finally(() => rm(folder, { recursive: true }));
if (ended.interrupted) endLike(ended);
else report(changesOf(ended), JSON.parse(await textOf(`${RELEASED}/accepted-changes.json`)));

async function compare() {
  await writeFile(join(folder, 'released.json'), withLevels(await textOf(`${RELEASED}/openapi.json`)));
  await writeFile(join(folder, 'openapi.json'), withLevels(await textOf('openapi.json')));
  await writeFile(join(folder, 'levels'), MORE_BREAKS.map((id) => `${id} err\n`).join(''));
  const documents = ['changelog', 'released.json', 'openapi.json', '--format', 'json'];
  const options = ['--stability-level', 'stable', '--severity-levels', 'levels'];
  return runChild('go', ['run', OASDIFF, ...documents, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function textOf(file) {
  return readFile(join(root, file), 'utf8');
}

function changesOf({ code, output }) {
  if (code === 127)
    giveUp(`${output}\nThe comparison needs Go, from 1.21 on: https://go.dev/dl. It builds ${OASDIFF}.`);
  if (code !== 0)
    giveUp(`${output}${OASDIFF} did not run. Go downloads it the first time, which needs the network.`);
  try {
    return JSON.parse(output);
  } catch {
    return giveUp(`${OASDIFF} wrote no JSON: ${output.slice(0, 500)}`);
  }
}

function report(changes, accepted) {
  const { breaks, unused } = judge(changes, accepted);
  if (breaks.length > 0) {
    giveUp(
      `openapi.json breaks what ${RELEASED}/openapi.json promises. Within v1 there are only additions:\n\n` +
        `${breaks.map(describe).join('\n')}\n\n` +
        'Restore what is missing, and add the new beside it. Announce a removal with @Deprecated. If no caller can notice ' +
        `the change, add its fingerprint to ${RELEASED}/accepted-changes.json, with the reason.`,
    );
  }
  if (unused.length > 0) {
    const listed = unused.map(({ fingerprint }) => fingerprint).join(', ');
    giveUp(`${RELEASED}/accepted-changes.json accepts changes that do not exist. Remove ${listed}.`);
  }
  say(`openapi.json only adds to ${RELEASED}/openapi.json: ${changes.length - accepted.length} changes.`);
}
