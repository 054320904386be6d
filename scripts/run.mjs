// Runs a program of the service, once it is installed and built: `node scripts/run.mjs auth/keys.cli issue …` runs
// src/auth/keys.cli.ts. It runs in this process, so that signals reach it and its exit code is ours.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { root } from './support/programs.mjs';

const [name, ...args] = process.argv.slice(2);
prepare();
const program = join(root, 'dist', `${name}.js`);
process.chdir(root); // relative paths in settings are those of the checkout
process.argv = [process.execPath, program, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(program).href);
