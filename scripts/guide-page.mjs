// Writes the error codes into docs/guide.md, and the guide into the page that the service serves at /docs/guide. With
// --check it fails when a committed file is out of date. Needs `npm run build`.
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { writeOrCheck } from './support/generated.mjs';

const GUIDE = 'docs/guide.md';
const PAGE = 'src/http/docs/page/guide.html';
/** What links to files of the repository become on the page; undefined: only their text. */
const SERVED = { '../openapi.json': '{root}/openapi.json', '../clients/typescript/README.md': undefined };

const { AppModule } = await import('../dist/app.module.js');
const { allErrors } = await import('../dist/api/errors.js');
void AppModule; // features declare their errors when they are imported

const guide = between('errors', readFileSync(GUIDE, 'utf8'), allErrors().map(itemOf).join('\n'));
writeOrCheck(GUIDE, guide, 'npm run guide');
writeOrCheck(PAGE, between('guide', readFileSync(PAGE, 'utf8'), render(guide)), 'npm run guide');

/** Wraps the line at 120 characters. */
function itemOf({ code, status, advice }) {
  const text = `\`${code}\` (${status}): ${advice}`;
  return `- ${text.replaceAll(/(.{1,117}\S)(?: |$)/g, '$1\n  ').trimEnd()}`;
}

/** Replaces what a text has between two comments. */
function between(name, text, content) {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [before, rest] = text.split(begin);
  return `${before}${begin}\n\n${content}\n\n${end}${rest.split(end)[1]}`;
}

function render(markdown) {
  const renderer = {
    html: () => '',
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      if (!/^(?:#|https:)/.test(href) && !(href in SERVED)) throw new Error(`${GUIDE} links to ${href}: see SERVED`);
      const target = href in SERVED ? SERVED[href] : href;
      return target === undefined ? text : `<a href="${target}">${text}</a>`;
    },
    // Scrollable elements must be reachable by keyboard.
    code: ({ text }) =>
      `<pre tabindex="0"><code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code></pre>\n`,
  };
  const main = new Marked(gfmHeadingId(), { renderer }).parse(markdown).trimEnd();
  const links = getHeadingList().flatMap(({ level, id, text }) =>
    level === 2 ? [`<a href="#${id}">${text}</a>`] : [],
  );
  return ['<nav class="contents" aria-label="Contents">', ...links, '</nav>', `<main>\n${main}\n</main>`].join('\n');
}
