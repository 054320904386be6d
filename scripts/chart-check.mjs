// `npm run chart:check` renders docker/helm with the values in docker/helm/ci, validates the result against the schemas of
// Kubernetes, and checks what no schema knows. Where Helm is not installed, Go fetches and builds it, and keeps it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { pythonProgram, require, root, say } from './support/programs.mjs';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
/** The oldest that the chart accepts, and the newest that the validator knows. */
const KUBERNETES = ['1.30', '1.37'];
/** The schema of the values refuses them. */
const MISTAKES = ['replica=3', 'ingress.host=""', 'podSpec.volumes=[]'];

const chart = join(root, 'docker', 'helm');
const read = (name) => readFileSync(join(chart, name), 'utf8');
const settings = read('../../docs/settings.md');
const hasHelm = spawnSync('helm', ['version']).status === 0;
const helm = hasHelm ? ['helm'] : [require('go', 'golang-go'), 'run', HELM];
const validator = pythonProgram('kubernetes-validate', '1.37.0');

if (!hasHelm) say('Helm is not installed: Go builds it the first time, which takes minutes.');
for (const name of readdirSync(join(chart, 'ci'))) check(name);
for (const mistake of MISTAKES) assert.throws(() => render('everything.yaml', '--set-json', mistake), /the schema/);

function check(name) {
  const text = render(name);
  for (const version of validator ? KUBERNETES : [])
    run([validator, '--kubernetes-version', version, '--strict', '--quiet', '--no-warn', '-'], text);
  const objects = parseAllDocuments(text, { merge: true }).flatMap((document) => document.toJS() ?? []);
  const { metadata, spec: pod } = objects.find(({ kind }) => kind === 'Deployment').spec.template;
  for (const { kind, spec } of objects) {
    const selector = spec.podSelector ?? spec.selector;
    if (selector) assert.deepEqual(selector.matchLabels ?? selector, metadata.labels, `Selector of ${kind}`);
    if (kind === 'PrometheusRule') assert.deepEqual(spec, parse(read('rules.yml'), { merge: true }));
  }
  const names = pod.containers[0].env.map((each) => each.name.replace(/_FILE$/, ''));
  const unknown = names.filter((each) => !each.startsWith('OTEL_') && !settings.includes(`\`${each}\``));
  assert.deepEqual(unknown, [], 'Not in docs/settings.md');
  say(`${name}: ${objects.length} objects${validator ? '' : ', not validated without Python 3 and its venv'}`);
}

function render(name, ...options) {
  const values = ['--values', join(chart, 'ci', name), ...options];
  return run([...helm, 'template', 'animals', chart, '--kube-version', KUBERNETES[0], ...values]);
}

function run([command, ...args], input) {
  return execFileSync(command, args, { input, encoding: 'utf8', stdio: 'pipe' });
}
