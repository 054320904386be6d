import { createInterface } from 'node:readline/promises';

const WORDS = ['distributed', 'everywhere', 'unsupported'];

/** Reads --kept, or throws an error that says what to write. */
export function readKept(word) {
  if (word === undefined || WORDS.includes(word)) return word;
  throw new Error(`A table is not kept "${word}". Write --kept with one of ${WORDS.join(', ')}.`);
}

/** Asks on a terminal until the answer is a word. Enter takes the one that suits. */
export async function askKept(suiting, { input, output } = process.stdin.isTTY ? terminal : {}) {
  if (!input) return suiting;
  const lines = createInterface({ input, output });
  try {
    const question = `How does a cluster keep the table: ${WORDS.join(', ')}? [${suiting}] `;
    for (;;) {
      const answer = (await lines.question(question)).trim() || suiting;
      if (WORDS.includes(answer)) return answer;
    }
  } finally {
    lines.close();
  }
}

const terminal = { input: process.stdin, output: process.stdout };

/**
 * What suits the fields, so that a cluster can hold the constraints: rows lie with those of one other table, or, where
 * values are unique, everywhere.
 */
export function keepingOf(fields) {
  const references = fields.filter(({ reference }) => reference);
  const isUnique = fields.some(({ unique }) => unique);
  if (references.every(({ reference }) => reference.kept === 'everywhere'))
    return isUnique ? 'everywhere' : 'distributed';
  const [{ optional, reference }] = references;
  const canLieThere = !optional && reference.kept === 'distributed' && !reference.refers;
  return references.length === 1 && !isUnique && canLieThere ? 'distributed' : 'unsupported';
}
