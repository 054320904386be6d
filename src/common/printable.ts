/** Characters that a terminal obeys or hides instead of showing: controls, bidi controls, lone surrogates, line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** The first character of a text that a terminal would not show as it is, as `U+202E`. */
export function findUnprintable(text: string): string | undefined {
  const [found] = UNPRINTABLE.exec(text) ?? [];
  return found && `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** One line of text that a terminal shows and does not obey. The escapes are those of JSON, so JSON stays JSON. */
export function printable(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, escape);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, (found) => (found === '\n' ? found : escape(found)));
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
