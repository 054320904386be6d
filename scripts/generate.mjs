// Generates a new resource: `npm run generate -- toys 'name:text(255)'` writes src/toys with tests and registers it in
// src/app.module.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFields } from './generate/fields.mjs';
import { filesOf } from './generate/files.mjs';
import { readNames } from './generate/names.mjs';
import { splitFields } from './generate/nested.mjs';
import { readOperations } from './generate/operations.mjs';
import { refuseTaken } from './generate/taken.mjs';
import { askKept, keepingOf, readKept } from './generate/kept.mjs';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const USAGE = `Usage: npm run generate -- <plural name> ['<fields>'] [--singular <name>] [--path <path>] [--only <operations>]
         [--kept distributed|everywhere|unsupported]

  npm run generate -- toys 'name:text(255) price:decimal? petId:int64->pets'
  npm run generate -- orders 'shipped:dateTime? complete:boolean=false' --path store/orders --only list,create,update

A field is name:kind, then :unique for a text, ->table for a reference, ? if it may be absent, =value for a default.
Kinds: text(255), int64, integer(1..1000), decimal(0..999.99), boolean, dateTime, oneOf(new|used).
An object has its fields in braces: address:{street:text(80) postcode:text(10)?}
Without fields, there is a name; without --only, the operations are list, create and get. Others: update, delete.
--kept says how a cluster keeps the table. Without it a terminal is asked, and elsewhere it is what suits the fields.`;
const OPTIONS = {
  singular: { type: 'string' },
  path: { type: 'string' },
  only: { type: 'string' },
  kept: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

const { name, table, options } = argumentsOf(process.argv.slice(2));
await install();
const resource = orGiveUp(() => {
  const names = readNames(name, options);
  const operations = readOperations(options.only);
  const fields = readFields(table, names, operations);
  return { names, operations, fields, keeping: readKept(options.kept) };
});
resource.keeping ??= await askKept(keepingOf(resource.fields));
const { names, fields } = resource;
const files = await filesOf(resource, Date.now());
const paths = Object.keys(files).toSorted();
orGiveUp(() => refuseTaken(names, fields, paths));
await nameInApplication(names);
for (const path of paths) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), files[path]);
}
say(`The singular is "${names.singular.replaceAll('-', ' ')}". Written:
${paths.map((path) => `  ${path}`).join('\n')}
  src/app.module.ts (one line and its import)

Next:
  1. Read what you have, and change it: docs/adding-a-module.md shows where, and what else is available.
  2. npm run openapi && npm run client     updates the document and the client
  3. npm test -- ${names.plural.startsWith(names.singular) ? names.singular : `${names.plural} ${names.singular}`}`);

function argumentsOf(args) {
  try {
    const { positionals, values } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) {
      say(USAGE);
      process.exit();
    }
    const [name, ...fields] = positionals;
    const table = fields.join(' ').trim() || 'name:text(255)';
    if (name !== undefined) return { name, table: splitFields(table), options: values };
  } catch (error) {
    return giveUp(`${error.message}\n\n${USAGE}`);
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
  const path = join(root, 'src/app.module.ts');
  const isNamed = () => readFileSync(path, 'utf8').includes(`/${plural}.module.js'`);
  if (isNamed()) return; // by an attempt that did not end
  const nest = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const end = await runChild(process.execPath, [nest, 'generate', 'module', plural], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (end.code !== 0 || !isNamed()) {
    giveUp(
      `${end.output}\nFailed: nest generate module ${plural}. Undo its changes before you try again: git status`,
    );
  }
  const { format, resolveConfig } = await import('prettier');
  writeFileSync(
    path,
    await format(readFileSync(path, 'utf8'), { ...(await resolveConfig(path)), filepath: path }),
  );
}
