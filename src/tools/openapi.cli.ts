import { buildDocument } from '../api/document/build-document.js';
import { documentJson } from '../api/document/document-text.js';
import { assembleApp } from '../app.js';
import { Config } from '../common/config/config.js';
import { generateFiles } from './generate-files.js';

// The application is assembled but never started, so nothing connects.
const connection = {
  kind: 'server',
  url: 'postgres://unused',
  directUrl: 'postgres://unused',
  poolSize: 10,
  preparedStatements: true,
} as const;

await generateFiles('openapi', async () => {
  const config = Object.assign(new Config(), { logLevel: 'silent' });
  return { 'openapi.json': documentJson(buildDocument(await assembleApp(config, { connection }))) };
});
