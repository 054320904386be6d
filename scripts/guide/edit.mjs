/** Applies a diff to a text. A diff without context creates a new file from an empty text. */
export function edited(text, diff) {
  return hunksOf(diff).reduce(applied, text);
}

/** Splits a diff at lines that begin with `@@`. */
function hunksOf(diff) {
  const hunks = [[]];
  for (const line of diff) {
    if (line.startsWith('@@')) hunks.push([]);
    else hunks.at(-1).push(line);
  }
  return hunks.filter((hunk) => hunk.length > 0);
}

function applied(text, hunk) {
  const old = side(hunk, '-');
  const wanted = side(hunk, '+');
  if (old === '') {
    if (text !== '') throw new Error(`These lines need context to be placed in the file:\n${wanted}`);
    return wanted;
  }
  const [before, after, ...more] = `\n${text}`.split(`\n${old}`);
  if (after === undefined) throw new Error(`These lines are not in the file:\n${old}\nThe file is:\n${text}`);
  if (more.length > 0) throw new Error(`These lines occur more than once; add more context:\n${old}`);
  return `${before}\n${wanted}${after}`.slice(1);
}

/** One side of a hunk: the common lines and those with this sign. */
function side(hunk, sign) {
  return hunk
    .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}
