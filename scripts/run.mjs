// Runs a command-line program of the service: `node scripts/run.mjs auth/keys.cli issue …` runs src/auth/keys.cli.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { root } from './support/root.mjs';
import { giveUp } from './support/say.mjs';

const [name, ...args] = process.argv.slice(2);
if (!name) giveUp('Which program? Usage: node scripts/run.mjs <path below src, without .ts> [arguments …]');

await prepare();
const program = join(root, 'dist', `${name}.js`);
if (!existsSync(program))
  giveUp(`There is no program src/${name}.ts. Programs are the files src/**/*.cli.ts.`);

process.chdir(root); // relative paths in settings refer to the checkout
process.argv = [process.execPath, program, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(program).href);
