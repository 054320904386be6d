/**
 * Reads the fenced blocks of the page as steps: `sh` is one command per line, `diff` is an edit, and anything else is the
 * expected content of a file. The line before a block names its file: "In `src/toys/toy.entity.ts`:".
 */
export function readSteps(page) {
  const lines = page.split('\n');
  const steps = [];
  for (let i = 0; i < lines.length; i++) {
    const [, language] = /^```(.*)$/.exec(lines[i]) ?? [];
    if (language === undefined) continue;
    const line = i + 1;
    const end = lines.indexOf('```', line);
    if (end < 0) throw new Error(`The block in line ${line} has no end.`);
    const block = lines.slice(line, end);
    if (language === 'sh') steps.push(...commands(block, line));
    else steps.push(onFile(language, block, line, lines.slice(0, i)));
    i = end;
  }
  return steps;
}

function commands(block, line) {
  return block.map((text, i) => {
    const command = text.replace(/\s+#.*$/, '');
    return { kind: 'command', title: command, command, line: line + 1 + i };
  });
}

function onFile(language, block, line, before) {
  const sentence = before.findLast((text) => text !== '') ?? '';
  const path = [...sentence.matchAll(/`([^`]+)`/g)].at(-1)?.[1];
  if (!path?.includes('/') || !sentence.endsWith(':')) {
    throw new Error(`The line before the block in line ${line} names no file: "In \`src/…\`:".`);
  }
  const kind = language === 'diff' ? 'edit' : 'compare';
  return { kind, title: `${kind} ${path}`, path, block, line };
}
