import { Script } from 'node:vm';
import { wordsOfTemplate } from './template.mjs';

/** The names in the template. Two words, so that every spelling (camelCase, snake_case, …) is distinct. */
export const TEMPLATE = { plural: 'sample-things', singular: 'sample-thing', path: 'sample/things' };

/** PostgreSQL truncates names to 63 bytes, and constraint names start with the table name. */
export const LONGEST_IN_DATABASE = 63;
const LONGEST = 40;
const KEBAB = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;

/** Returns the plural, singular and path of a resource, or throws an error that says what to do. */
export function readNames(plural, { singular: given, path = plural } = {}) {
  refuseBad(plural);
  const singular = given ?? singularOf(plural);
  refuseBad(singular);
  if (plural === singular) {
    throw new Error(
      `The plural and the singular are both "${plural}", but the code needs two names. Add another: --singular <name>`,
    );
  }
  for (const name of [plural, singular]) refuseUsed(name, plural);
  if (!path.split('/').every((segment) => KEBAB.test(segment))) {
    throw new Error(`"${path}" is not a valid path. Write it below the version, such as store/orders.`);
  }
  return { plural, singular, path };
}

/** Replaces the names of the template with those of a resource. */
export function rename(text, names) {
  const replacements = new Map(
    ['plural', 'singular'].flatMap((number) => {
      const [from, to] = [waysToWrite(TEMPLATE[number]), waysToWrite(names[number])];
      return from.map((word, i) => [word, to[i]]);
    }),
  );
  replacements.set(TEMPLATE.path, names.path);
  const words = [...replacements.keys()].toSorted((a, b) => b.length - a.length).join('|');
  return text
    .replaceAll(/\b([Aa]) (?=sample thing)/g, `$1${articleOf(names.singular).slice(1)} `)
    .replaceAll(new RegExp(words, 'g'), (word) => replacements.get(word));
}

/** "a" or "an". */
export function articleOf(words) {
  return /^([aeio]|u(?!ni|s))/.test(words) ? 'an' : 'a';
}

/** Spellings of a name: type, variable, file, table, constant, prose. */
export function waysToWrite(name) {
  const words = name.split('-');
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const type = words.map(capital).join('');
  const variable = words[0] + words.slice(1).map(capital).join('');
  const table = words.join('_');
  return [type, variable, name, table, table.toUpperCase(), words.join(' ')];
}

/** Ambiguous plurals (boxes and axes, caches and matches) need --singular. */
function singularOf(plural) {
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(sh|ss)es$/.test(plural)) return plural.slice(0, -2);
  if (plural.endsWith('s') && !/(ss|us|ches|oes|ses|xes|zes)$/.test(plural)) return plural.slice(0, -1);
  throw new Error(`The singular of "${plural}" is not clear. Add: --singular <name>`);
}

function refuseBad(name) {
  if (!KEBAB.test(name) || name.length > LONGEST) {
    throw new Error(
      `"${name}" is not a valid name. Use lower-case letters and digits, join words with hyphens, such as pet-toys, ` +
        `and use no more than ${LONGEST} characters.`,
    );
  }
}

/** Refuses names that the generated code uses otherwise: "pages" would need a class `Page`, which paging defines. */
function refuseUsed(name, plural) {
  const [type, variable] = waysToWrite(name);
  const used = [type, variable].find(
    (word) => type in globalThis || isReserved(word) || wordsOfTemplate().has(word),
  );
  if (used) {
    throw new Error(
      `The generated code uses "${used}" for something else. Choose a longer name, such as "animal-${plural}".`,
    );
  }
}

/** Whether JavaScript does not accept a word as the name of a variable. */
export function isReserved(word) {
  try {
    return !new Script(`'use strict'; let ${word};`);
  } catch {
    return true;
  }
}
