/** The text after an edit as `diff` shows it. Without context and with an empty text it is a new file. */
export function edited(text, diff) {
  return hunksOf(diff).reduce(applied, text);
}

/** Between hunks there is a line `@@`. */
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
    if (text !== '') throw new Error(`Without context these lines have no place:\n${wanted}`);
    return wanted;
  }
  const [before, after, ...more] = `\n${text}`.split(`\n${old}`);
  if (after === undefined) throw new Error(`These lines are not in the file:\n${old}\nIt is:\n${text}`);
  if (more.length > 0) throw new Error(`These lines are there more than once; show more of them:\n${old}`);
  return `${before}\n${wanted}${after}`.slice(1);
}

/** The lines that both sides have, and those of one. */
function side(hunk, sign) {
  return hunk
    .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}
