const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON token by token, so that numbers keep all their digits. Returns null for invalid JSON. */
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
    // An empty object or array stays on one line.
    if (opened !== closes || before === ',') indented += `\n${'  '.repeat(depth)}`;
    indented += token === ':' ? ': ' : token;
    before = token;
  }
  return indented;
}
