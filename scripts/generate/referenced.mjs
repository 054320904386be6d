import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../support/root.mjs';

/** What is known of a table that a field refers to: its entity and module, and the function that adds rows in tests. */
export function referenced(table, fail) {
  const all = entities();
  const entity = all.find((each) => each.table === table);
  if (!entity) {
    const tables = all.map((each) => each.table).join(', ');
    fail(`there is no table "${table}". Tables: ${tables}.`);
  }
  const plural = table.replaceAll('_', '-');
  const support = `test/e2e/support/${plural}.ts`;
  const [, add] = /^export (?:async )?function (add\w+)/m.exec(read(support)) ?? [];
  if (!add)
    fail(
      `tests need a function in ${support} that adds ${plural}, such as addPets in test/e2e/support/pets.ts.`,
    );
  const type = classIn(entity.path);
  const words = type.replaceAll(/\B[A-Z]/g, ' $&').toLowerCase();
  const source = read(entity.path);
  const [, kept] = /@Kept\('(\w+)'\)/.exec(source) ?? [];
  const refers = source.includes('@ForeignKey(');
  return { table, type, words, plural, add, kept, refers, module: moduleIn(dirname(entity.path)) };
}

/** The entities of all features. */
export function entities() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .toSorted((a, b) => a.localeCompare(b))
    .filter((file) => file.endsWith('.entity.ts'))
    .map((file) => join('src', file))
    .map((path) => ({ path, table: /@Entity\('(\w+)'\)/.exec(read(path))?.[1] }));
}

function moduleIn(folder) {
  const file = readdirSync(join(root, folder)).find((name) => name.endsWith('.module.ts'));
  return {
    type: classIn(join(folder, file)),
    path: join(folder, file).replace(/^src/, '..').replace(/ts$/, 'js'),
  };
}

function classIn(path) {
  return /^export class (\w+)/m.exec(read(path))[1];
}

function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}
