const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON, indented for people. Nothing in it is read as a number, so every digit stays. Null when it is not JSON. */
export function indentJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  let before = '';
  let indented = '';
  for (const token of text.match(TOKEN)) {
    const opened = before === '{' || before === '[';
    const closes = token === '}' || token === ']';
    if (opened) depth += 1;
    if (closes) depth -= 1;
    // An empty object or array stays on its line: it opened, and closes.
    if (opened !== closes || before === ',') indented += `\n${'  '.repeat(depth)}`;
    indented += token === ':' ? ': ' : token;
    before = token;
  }
  return indented;
}
