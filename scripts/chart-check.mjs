// `npm run chart:check` checks the Helm chart without a cluster: it lints and renders it with the values in
// docker/helm/ci and docs/operating.md, validates the result against the schemas of Kubernetes, and runs the rendered pods as processes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNotes } from './chart/check-notes.mjs';
import { checkMistakes } from './chart/refused.mjs';
import { checkRelations } from './chart/relations.mjs';
import { lint, render, valueSets } from './chart/render.mjs';
import { runRelease } from './chart/run-release.mjs';
import { prepare } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { pythonTool } from './support/other-tools.mjs';
import { say } from './support/say.mjs';

refuseArguments('npm run chart:check', 'It checks docker/helm.');
/** The oldest that the chart accepts, and the newest that the validator knows. */
const KUBERNETES = ['1.30', '1.37'];
const validator = pythonTool('kubernetes-validate', '1.37.0');
await prepare();

const folder = mkdtempSync(join(tmpdir(), 'animal-store-chart-'));
try {
  for (const [name, values] of valueSets()) {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, values);
    lint(file);
    const { text, objects } = render(`--values=${file}`);
    for (const version of KUBERNETES) validate(text, name, version);
    checkRelations(objects);
    say(`${name}: ${objects.length} objects.`);
  }
  checkNotes();
  say(`${checkMistakes()} mistakes in values are refused.`);
  await runRelease(process.env.DATABASE_URL);
  say('A replica and the Job for keys ran as the chart describes them.');
} catch (error) {
  say(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** It has no schema for what belongs to the Prometheus operator, and leaves that out. */
function validate(text, name, version) {
  const file = join(folder, 'rendered.yaml');
  writeFileSync(file, text);
  const args = ['--kubernetes-version', version, '--strict', '--quiet', '--no-warn', file];
  const { status, stdout, stderr } = spawnSync(validator, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`Kubernetes ${version} rejects the chart with ${name}:\n${stdout}${stderr}`);
}
