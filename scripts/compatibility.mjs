// `npm run compatibility:check` fails if openapi.json does more than add to the released document. oasdiff compares them; Go
// fetches and builds it on demand, and keeps it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveUp, require, root, say } from './support/programs.mjs';

const OASDIFF = 'github.com/oasdiff/oasdiff@v1.30.0';
/** Our stages in the words of oasdiff, which checks operations of the level `stable`, and that none loses it. */
const LEVELS = { experimental: 'alpha', beta: 'beta', stable: 'stable', deprecated: 'stable' };
/** Changes that oasdiff only informs about, but that are no additions. */
const MORE_BREAKS = [
  'api-operation-id-removed',
  'api-security-added',
  'api-security-component-removed',
  'api-security-component-type-changed',
  'optional-response-header-removed',
  ...['added', 'changed', 'removed'].flatMap((how) =>
    ['request-body', 'request-parameter', 'request-property'].map((what) => `${what}-default-value-${how}`),
  ),
  'response-non-success-status-removed',
  'response-optional-property-removed',
];

const released = join(root, 'docs', 'released');
const folder = mkdtempSync(join(tmpdir(), 'compatibility-'));
// As text, because a JavaScript number would round the bounds of int64.
const withLevels = (file) =>
  readFileSync(file, 'utf8').replaceAll(/"x-stability": "(\w+)"/g, (_, now) => `"x-stability-level": "${LEVELS[now]}"`);
writeFileSync(join(folder, 'released.json'), withLevels(join(released, 'openapi.json')));
writeFileSync(join(folder, 'openapi.json'), withLevels(join(root, 'openapi.json')));
writeFileSync(join(folder, 'levels'), MORE_BREAKS.map((id) => `${id} err\n`).join(''));
const accepted = join(released, 'accepted-changes.txt');
const options = ['--stability-level', 'stable', '--severity-levels', 'levels', '--level', 'WARN', '--fail-on', 'WARN'];
const ignored = ['--err-ignore', accepted, '--warn-ignore', accepted, '--format', 'singleline'];
const args = ['run', OASDIFF, 'changelog', 'released.json', 'openapi.json', ...options, ...ignored];
const { status } = spawnSync(require('go', 'golang'), args, { cwd: folder, stdio: 'inherit' });
rmSync(folder, { recursive: true });
if (status !== 0)
  giveUp(`If oasdiff has run: openapi.json breaks what docs/released/openapi.json promises. Restore what is missing.
If no caller can notice the change, add its line to docs/released/accepted-changes.txt, with the reason.`);
say('openapi.json only adds to the released document.');
