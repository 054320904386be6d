// `npm run chart:check` renders docker/helm with the values in docker/helm/ci, validates the result against the schemas of
// Kubernetes, and checks what no schema knows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { pythonProgram, require, root, say } from './support/programs.mjs';

/** The oldest that the chart accepts, and the newest that the validator knows. */
const KUBERNETES = ['1.30', '1.37'];
const chart = join(root, 'docker', 'helm');
const read = (name) => readFileSync(join(chart, name), 'utf8');
const isValid = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')));
const settings = read('../../docs/settings.md');
const folder = mkdtempSync(join(tmpdir(), 'chart-'));
const [renderer, rendered] = [join(folder, 'render'), join(folder, 'rendered.yaml')];
const validator = pythonProgram('kubernetes-validate', '1.37.0');

try {
  run(require('go', 'golang-go'), ['build', '-o', renderer, join(root, 'scripts/chart/render.go')]);
  for (const name of readdirSync(join(chart, 'ci'))) check(name, parse(read(`ci/${name}`)));
  const values = parse(read('ci/everything.yaml'));
  for (const mistake of [{ replica: 3 }, { ingress: { host: '' } }, { podSpec: { volumes: [] } }])
    assert.throws(() => render(merge(values, mistake)), { name: 'SyntaxError' });
} finally {
  rmSync(folder, { recursive: true });
}

function check(name, values) {
  const text = render(values);
  writeFileSync(rendered, text);
  for (const version of validator ? KUBERNETES : [])
    run(validator, ['--kubernetes-version', version, '--strict', '--quiet', '--no-warn', rendered]);
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

function render(values) {
  const Values = merge(parse(read('values.yaml')), values);
  if (!isValid(Values)) throw new SyntaxError(JSON.stringify(isValid.errors));
  const { name: Name, appVersion: AppVersion } = parse(read('Chart.yaml'));
  const Release = { Name: 'animals', Namespace: 'default', Service: 'Helm' };
  const names = readdirSync(join(chart, 'templates')).map((each) => [each, read(`templates/${each}`)]);
  const templates = Object.fromEntries(names.filter(([each]) => each !== 'NOTES.txt'));
  const context = { Values, Chart: { Name, AppVersion }, Release };
  return run(renderer, [], JSON.stringify({ templates, files: { 'rules.yml': read('rules.yml') }, context }));
}

function merge(base, over) {
  if (Object.getPrototypeOf(Object(over)) !== Object.prototype) return over;
  const merged = Object.entries(over).map(([name, value]) => [name, merge(base?.[name], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

function run(command, args, input) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}
