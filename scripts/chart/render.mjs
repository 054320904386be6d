import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { goTool } from '../support/other-tools.mjs';
import { root } from '../support/root.mjs';

export const chart = join(root, 'docker', 'helm');

/** Values as operators write them: those in `ci`, and those of the page for operators. */
export function valueSets() {
  const files = readdirSync(join(chart, 'ci')).map((file) => [
    file,
    readFileSync(join(chart, 'ci', file), 'utf8'),
  ]);
  const page = readFileSync(join(root, 'docs', 'operating.md'), 'utf8');
  const [, values] = /cat > values\.yaml <<'END'\n([^]*?)\nEND\n/.exec(page) ?? [];
  if (!values) throw new Error('docs/operating.md has no values.yaml for the chart');
  return [...files, ['docs/operating.md', values]];
}

const helm = goTool('helm', 'helm.sh/helm/v4/cmd/helm', 'v4.3.1');

/** What an installation with these values would create: the text, and its objects. */
export function render(...options) {
  const text = run('template', 'animals', chart, ...options);
  // Kubernetes reads YAML 1.1.
  const objects = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());
  return { text, objects: objects.filter(Boolean) };
}

/** What an operator reads after the installation. */
export const notes = (...options) => run('install', 'animals', chart, '--dry-run=client', ...options);

export const lint = (values) => run('lint', '--strict', chart, `--values=${values}`);

function run(...args) {
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
  if (status !== 0) {
    const reason = stdout + stderr;
    throw Object.assign(new Error(`helm ${args.join(' ')}\n${reason}`), { reason });
  }
  return stdout;
}
