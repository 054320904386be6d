import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { JSON_TYPE } from '../api/media-types.js';
import { findUp } from '../common/find-up.js';
import { SharedContent } from './shared-content.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': JSON_TYPE,
  '.svg': 'image/svg+xml',
};

/** HTML with `{title}` and `{root}` in it, by path below /docs. */
const PAGES = { 'index.html': 'index.html', guide: 'guide.html' };
const OWN = [
  'page.css',
  'guide.css',
  'page.js',
  'plugin.js',
  'accessibility.js',
  'exact-json.js',
  'favicon.svg',
];
const OF_SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * Loads the files of the pages into memory. If each request opened a file, a few clients that do not read could exhaust
 * the file descriptors of the process.
 */
export function assetsOfPage(
  title: string,
  rootPath: string,
  document: object,
): ReadonlyMap<string, SharedContent> {
  const require = createRequire(import.meta.url);
  const page = (name: string): Buffer =>
    Buffer.from(
      readOwn(name)
        .toString('utf8')
        .replaceAll('{title}', () => title)
        .replaceAll('{root}', () => rootPath),
    );
  return new Map([
    ...Object.entries(PAGES).map(([path, name]) => asset(name, page(name), path)),
    asset('document.json', Buffer.from(JSON.stringify(document))),
    ...OWN.map((name) => asset(name, readOwn(name))),
    ...OF_SWAGGER_UI.map((name) => asset(name, readFileSync(require.resolve(`swagger-ui-dist/${name}`)))),
  ]);
}

const readOwn = (name: string): Buffer => readFileSync(findUp(`docs/page/${name}`));

function asset(name: string, content: Buffer, path = name): [string, SharedContent] {
  return [path, new SharedContent(TYPES[extname(name)]!, content)];
}
