// Writes the error codes into docs/guide.md, and the guide into the page that the service serves at /docs/guide. With
// --check it fails when a committed file is out of date. Needs `npm run build`.
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { writeOrCheck } from './support/generated.mjs';

const GUIDE = 'docs/guide.md';
const PAGE = 'src/http/docs/page/guide.html';
/** What links to files of the repository become on the page; undefined: only their text. */
const SERVED = {
  '../openapi.json': '{root}/openapi.json',
  '../clients/typescript/README.md': undefined,
  callers: undefined,
};

await import('../dist/app.module.js'); // features declare their errors
const { allErrors } = await import('../dist/api/errors.js');
const errors = allErrors().map(({ code, status, advice }) => `- \`${code}\` (${status}): ${advice}`);

const guide = between('errors', readFileSync(GUIDE, 'utf8'), errors.join('\n'));
writeOrCheck(GUIDE, guide, 'npm run guide');
writeOrCheck(PAGE, between('guide', readFileSync(PAGE, 'utf8'), render(guide)), 'npm run guide');

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
  };
  const html = new Marked(gfmHeadingId(), { renderer }).parse(markdown).trimEnd();
  const main = html.replaceAll('<pre>', '<pre tabindex="0">'); // scrollable elements must be reachable by keyboard
  const headings = getHeadingList().filter(({ level }) => level === 2);
  const links = headings.map(({ id, text }) => `<a href="#${id}">${text}</a>`);
  return ['<nav class="contents" aria-label="Contents">', ...links, '</nav>', `<main>\n${main}\n</main>`].join('\n');
}
