/** Formats paragraphs as a doc comment; empty without paragraphs. */
export function comment(paragraphs) {
  const lines = paragraphs
    .filter(Boolean)
    .flatMap((paragraph) => wrapped(paragraph.replaceAll('*/', '*\\/')).concat(''))
    .slice(0, -1);
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/**
 * The description of an operation, with a `@deprecated` tag if needed. Callers of the client know method names, so these
 * replace references such as `GET /pets`.
 */
export function deprecation(operation, operations) {
  const paragraphs = (operation.description ?? '').split('\n\n').filter(Boolean);
  const mark = '**Deprecated:';
  const others = paragraphs.filter((paragraph) => !paragraph.startsWith(mark));
  if (!operation.deprecated) return others;
  const said =
    paragraphs.find((paragraph) => paragraph.startsWith(mark)) ??
    `${mark} to be removed${operation['x-sunset'] ? ` on ${operation['x-sunset']}` : ''}.**`;
  const plain = said.replace(mark, '').replace('**', '').trim();
  const named = operations.reduce(
    (text, { id, method, path }) => text.replaceAll(`\`${method} ${path}\``, `\`${id}\``),
    plain,
  );
  return [...others, `@deprecated ${named[0].toUpperCase()}${named.slice(1)}`];
}

function wrapped(text, width = 100) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line && line.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
