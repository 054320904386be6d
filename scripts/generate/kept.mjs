const WORDS = ['distributed', 'everywhere', 'local', 'unsupported'];

/** Reads --kept, or throws an error that says what to write. */
export function readKept(word) {
  if (word === undefined || WORDS.includes(word)) return word;
  throw new Error(`A table is not kept "${word}". Write --kept with one of ${WORDS.join(', ')}.`);
}
