// Lays out a new resource: `npm run generate -- toys` writes src/toys with its tests, and names it in src/app.module.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { filesOf } from './generate/files.mjs';
import { readNames } from './generate/names.mjs';
import { refuseTaken } from './generate/taken.mjs';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const USAGE = 'Usage: npm run generate -- <name in the plural, such as toys> [--singular <name of one>]';

const { name, singular } = argumentsOf(process.argv.slice(2));
await install();
const names = orGiveUp(() => readNames(name, singular));
const files = await filesOf(names, Date.now());
orGiveUp(() => refuseTaken(names, Object.keys(files)));
await nameInApplication(names);
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
say(`One of them is called "${names.singular.replaceAll('-', ' ')}". Written:
${Object.keys(files)
  .toSorted()
  .map((path) => `  ${path}`)
  .join('\n')}
  src/app.module.ts (one line, and its import)

Next:
  1. Give it its fields: docs/adding-a-module.md shows where, and what else there is to use.
  2. npm run openapi && npm run client     writes what the document and the client say of it
  3. npm test -- ${names.plural.startsWith(names.singular) ? names.singular : `${names.plural} ${names.singular}`}`);

function argumentsOf(args) {
  try {
    const options = { singular: { type: 'string' } };
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length === 1) return { name: positionals[0], singular: values.singular };
  } catch {
    // The usage says what there is.
  }
  return giveUp(USAGE);
}

function orGiveUp(task) {
  try {
    return task();
  } catch (error) {
    return giveUp(error.message);
  }
}

/** Nest's own generator finds the place in the module; the module that it writes beside is replaced by the real one. */
async function nameInApplication({ plural }) {
  const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const end = await runChild(process.execPath, [nest, 'generate', 'module', plural], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const path = join(root, 'src/app.module.ts');
  const text = readFileSync(path, 'utf8');
  if (end.code !== 0 || !text.includes(`/${plural}.module.js'`)) {
    giveUp(
      `${end.output}\nThis failed: nest generate module ${plural}. See what it changed with: git status`,
    );
  }
  const { format, resolveConfig } = await import('prettier');
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
}
