import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import prettier from 'prettier';
import { root } from '../../scripts/support/root.mjs';

const folder = join(root, 'docs', 'performance');

/** Describes date, commit and machine in one sentence. */
export function describeMachine(postgresVersion) {
  const date = new Date().toISOString().slice(0, 10);
  const [{ model }] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  return (
    `Measured on ${date} at ${commit}: ${model}, ${cpus().length} cores, ${memory} GB, ` +
    `Node.js ${process.version.slice(1)}, PostgreSQL ${postgresVersion}.`
  );
}

/** Formats the page with Prettier, so that it passes the format check. */
export async function writePage(name, text) {
  const path = join(folder, name);
  const options = await prettier.resolveConfig(path);
  writeFileSync(path, await prettier.format(text, { ...options, filepath: path }));
}

export const writeChart = (name, svg) => writeFileSync(join(folder, name), svg);
