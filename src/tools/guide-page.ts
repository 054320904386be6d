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
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      html: () => '',
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      // Scrollable elements must be reachable by keyboard.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const text = marked.parse(markdown, { async: false });
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

function targetOf(href: string): string | undefined {
  if (/^(?:#|https:)/.test(href)) return href;
  if (href in SERVED) return SERVED[href];
  throw new UsageError(
    `docs/guide.md links to ${href}. Say in src/tools/guide-page.ts what that becomes where the guide is served.`,
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
