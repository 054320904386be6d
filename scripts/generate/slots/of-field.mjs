// What several kinds of files ask of a field.

/** A reference stays as it is: what depends on it would have to follow. */
export function canChange({ reference }) {
  return !reference;
}

export function mayBeLeftOut({ optional, initial }) {
  return optional || initial !== undefined;
}

export function inQuotes(text) {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

/** The description in the document. */
export function descriptionOf({ kind, words, reference }, owner) {
  if (reference) return `Identifier of the ${reference.words} of the ${owner}.`;
  if (kind === 'boolean') return `Whether the ${owner} is ${words}.`;
  if (kind === 'dateTime' && words.endsWith(' at')) {
    const verb = words.slice(0, -' at'.length);
    return `When the ${owner} ${verb.endsWith('s') ? verb : `was ${verb}`}.`; // starts, sold
  }
  if (words.endsWith(' id')) return `Identifier of the ${words.slice(0, -' id'.length)} of the ${owner}.`;
  return `The ${words} of the ${owner}.`;
}

/** A camel-case name as prose. */
export function wordsOf(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
