import { readFile, writeFile } from 'node:fs/promises';
import { assembleApp } from '../app.js';
import { Config } from '../common/config/config.js';
import { documentJson } from '../api/document/document-text.js';
import { buildDocument } from '../api/document/build-document.js';

/** Writes openapi.json, or with --check says whether the committed one is what the code describes. */
const FILE = 'openapi.json';

const [option, ...more] = process.argv.slice(2);
if ((option !== undefined && option !== '--check') || more.length > 0) {
  process.stderr.write('Usage: npm run openapi writes openapi.json, npm run openapi:check compares it.\n');
  process.exit(1);
}

const connection = {
  kind: 'server',
  url: 'postgres://unused',
  directUrl: 'postgres://unused',
  poolSize: 10,
  preparedStatements: true,
} as const;
const config = Object.assign(new Config(), { logLevel: 'silent' });
const text = documentJson(buildDocument(await assembleApp(config, { connection })));

if (option !== '--check') {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write(
    `${FILE} is not what the code describes. Run "npm run openapi" and commit the result.\n`,
  );
  process.exitCode = 1;
}
