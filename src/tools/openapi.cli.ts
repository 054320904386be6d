import { readFile } from 'node:fs/promises';
import { buildDocument } from '../api/document/build-document.js';
import { documentJson } from '../api/document/document-text.js';
import { DeclaredErrors } from '../api/errors/declared-errors.js';
import type { ErrorKind } from '../api/errors/error-catalogue.js';
import { assembleApp } from '../app.js';
import { Config } from '../common/config/config.js';
import { generateFiles, replaceBetween } from './generate-files.js';
import { renderGuide } from './guide-page.js';

const GUIDE = 'docs/guide.md';
const GUIDE_PAGE = 'src/docs/page/guide.html';

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
  const app = await assembleApp(config, { connection });
  const errors = app.get(DeclaredErrors).allKinds().map(rowOf).join('\n');
  const guide = replaceBetween('errors', await readFile(GUIDE, 'utf8'), errors);
  return {
    'openapi.json': documentJson(buildDocument(app)),
    [GUIDE]: guide,
    [GUIDE_PAGE]: replaceBetween('guide', await readFile(GUIDE_PAGE, 'utf8'), renderGuide(guide)),
  };
});

/** Wraps the row at 120 characters. */
function rowOf({ code, status, advice }: ErrorKind): string {
  const text = `\`${code}\` (${status}): ${advice}`;
  return `- ${text.replaceAll(/(.{1,117}\S)(?: |$)/g, '$1\n  ').trimEnd()}`;
}
