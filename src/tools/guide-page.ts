import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { UsageError } from '../cli/usage-error.js';

/** What the guide's links to files of the repository become. The page links only to what the deployment serves. */
const SERVED: Readonly<Record<string, string | undefined>> = {
  '../openapi.json': '{root}/openapi.json',
  '../clients/typescript/README.md': undefined,
};

/** Renders the guide for callers as HTML: the contents, then the text. Headings have the ids that GitHub gives them. */
export function renderGuide(markdown: string): string {
  const unknown: string[] = [];
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      html: () => '',
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (!/^(?:#|https:)/.test(href) && !(href in SERVED)) unknown.push(href);
        const target = href in SERVED ? SERVED[href] : href;
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      // Scrollable elements must be reachable by keyboard.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const text = marked.parse(markdown, { async: false });
  if (unknown.length > 0) {
    throw new UsageError(
      `docs/guide.md links to ${unknown.join(', ')}. Say in src/tools/guide-page.ts what that becomes where the guide is served.`,
    );
  }
  const contents = getHeadingList()
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => `<a href="#${id}">${text}</a>`);
  return [
    '<nav class="contents" aria-label="Contents">',
    ...contents,
    '</nav>',
    `<main>\n${text.trimEnd()}\n</main>`,
  ].join('\n');
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
