// Generates a new resource: `npm run generate -- toys` writes src/toys with tests and registers it in src/app.module.ts.
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

const USAGE = 'Usage: npm run generate -- <plural name, such as toys> [--singular <singular name>]';

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
say(`The singular is "${names.singular.replaceAll('-', ' ')}". Written:
${Object.keys(files)
  .toSorted()
  .map((path) => `  ${path}`)
  .join('\n')}
  src/app.module.ts (one line and its import)

Next:
  1. Add its fields: docs/adding-a-module.md shows where, and what else is available.
  2. npm run openapi && npm run client     updates the document and the client
  3. npm test -- ${names.plural.startsWith(names.singular) ? names.singular : `${names.plural} ${names.singular}`}`);

function argumentsOf(args) {
  try {
    const options = { singular: { type: 'string' } };
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length === 1) return { name: positionals[0], singular: values.singular };
  } catch {
    // Falls through to the usage.
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

/** Uses Nest's generator to edit the app module; the module file it writes is overwritten by ours afterwards. */
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
      `${end.output}\nFailed: nest generate module ${plural}. Undo its changes before you try again: git status`,
    );
  }
  const { format, resolveConfig } = await import('prettier');
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
}
