// Runs one of the service's own programs: `node scripts/run.mjs auth/keys.cli issue …` runs src/auth/keys.cli.ts.
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
if (!existsSync(program)) giveUp(`There is no program src/${name}.ts.`);

process.chdir(root); // relative paths in the settings are those of the checkout, wherever it is started from
process.argv = [process.execPath, program, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(program).href);
