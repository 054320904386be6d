/** Characters that a terminal executes or hides: controls, bidi controls, lone surrogates, line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** Returns the first such character in the form `U+202E`. */
export function findUnprintable(text: string): string | undefined {
  const [found] = UNPRINTABLE.exec(text) ?? [];
  return found && `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Escapes such characters in a line of text. The escapes are those of JSON, so JSON remains valid. */
export function printable(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, escape);
}

/** Escapes a text of several lines. */
export function printableLines(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, (found) => (found === '\n' ? found : escape(found)));
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
