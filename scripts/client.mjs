// Generates the operations of the TypeScript client from openapi.json; with --check, fails if they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOperations } from './client/operations.mjs';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { giveUp } from './support/say.mjs';

const FILE = 'clients/typescript/src/operations.ts';

const [option, ...more] = process.argv.slice(2);
if ((option !== undefined && option !== '--check') || more.length > 0) {
  giveUp(`Usage: npm run client writes ${FILE}, npm run client:check compares it.`);
}

await install();
const { format, resolveConfig } = await import('prettier');
const path = join(root, FILE);
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const text = await format(clientOperations(document), { ...(await resolveConfig(path)), filepath: path });

if (option !== '--check') {
  writeFileSync(path, text);
} else if (readText(path) !== text) {
  giveUp(`${FILE} does not match openapi.json. Run "npm run client" and commit the result.`);
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
