const SLOT = /(?:\/\/ )?\$(\w+)\$/g;
/** A slot between imports or decorators: without code it leaves no line. */
const WHOLE_LINE = /^\/\/ \$(\w+)\$\n/gm;
const IMPORT = /^import (type )?\{([^}]*)\} from ('[^']+');\n/gm;
const NOT_CODE = /\/\*\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g;
const CONDITION = /^\s*\/\/ (if|else|end)(?: (\S+))?$/;

/**
 * Completes a file of the template: keeps the lines between `// if a|b` (… `// else`) and `// end` when one of them holds,
 * puts code into the slots (`$name$`, or `// $name$` where no code can stand), and removes the imports that are left unused.
 */
export function assemble(text, conditions, slots) {
  const kept = withoutOthers(text, conditions);
  const full = kept.replaceAll(WHOLE_LINE, (line, name) => (valueOf(slots, name) === '' ? '' : line));
  return withoutUnusedImports(full.replaceAll(SLOT, (_, name) => valueOf(slots, name)));
}

function withoutOthers(text, conditions) {
  const open = [];
  return text
    .split('\n')
    .filter((line) => {
      const [, word, names] = CONDITION.exec(line) ?? [];
      if (word === 'if') open.push(names.split('|').some((name) => conditions.has(name)));
      else if (word === 'else') open.push(!open.pop());
      else if (word === 'end') open.pop();
      else return open.every(Boolean);
      return false;
    })
    .join('\n');
}

function valueOf(slots, name) {
  if (!(name in slots)) throw new Error(`The template has a slot "${name}" that no code fills.`);
  return slots[name];
}

function withoutUnusedImports(text) {
  const rest = text.replaceAll(IMPORT, '').replaceAll(NOT_CODE, '');
  const seen = new Set();
  return text.replaceAll(IMPORT, (whole, type = '', names, from) => {
    if (seen.has(whole)) return '';
    seen.add(whole);
    const used = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name && new RegExp(`\\b${name.replace(/^type /, '')}\\b`).test(rest));
    if (used.length === 0) return '';
    if (used.every((name) => name.startsWith('type '))) {
      return `import type { ${used.map((name) => name.slice(5)).join(', ')} } from ${from};\n`;
    }
    return `import ${type}{ ${used.join(', ')} } from ${from};\n`;
  });
}
