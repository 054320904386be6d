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
